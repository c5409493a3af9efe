import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_MS } from "@suite/check/wires";
import { expect, it } from "vitest";
import { createPlace } from "../support/place.ts";
import { FORMS, scripts } from "./command-forms.ts";
import { blocksOf, commandsIn, readDocuments, ROOT } from "./documents.ts";
import { describeOnUnix } from "../support/programs.ts";

const documents = readDocuments();

const inBlocks = documents
  .flatMap(blocksOf)
  .filter(({ language }) => language === "sh")
  .flatMap((block) => block.text.split("\n").map((line) => line.replace(/\s+#.*$/, "")))
  .filter((command) => command !== "");

const commands = new Set([...inBlocks, ...documents.flatMap(commandsIn)]);

const formOf = (command: string): (typeof FORMS)[number] | undefined =>
  FORMS.find(({ form }) => form.test(command));

describeOnUnix("commands in the documents", () => {
  it.each([...commands])("%s", (command) => {
    const found = formOf(command);
    expect(found, "no form in command-forms.ts fits").toBeDefined();
    const parts = (found?.form.exec(command) ?? []).slice(1).map((part: string | undefined) => part ?? "");
    if (found && "run" in found) found.run(...parts);
    else found?.check?.(...parts);
  });

  it("are found in sentences, too", () => {
    const text =
      "Do `npm run x -- y`, not `npm`, nor `git push`:\n\n```sh\nnpm run z\n```\n\nand `A=1 node b`.";
    expect(commandsIn({ path: "a.md", text })).toEqual(["npm run x -- y", "A=1 node b"]);
  });

  it("use every form that is described", () => {
    const used = new Set([...commands].map(formOf));
    expect(FORMS.filter((form) => !used.has(form))).toEqual([]);
  });

  it("name every script there is", () => {
    // The others are what `npm run check` runs side by side.
    const forPeople = Object.keys(scripts).filter((name) =>
      scripts[name]?.startsWith("node scripts/run.mjs "),
    );
    const named = forPeople.filter((name) =>
      inBlocks.some((command) => command.startsWith(`npm run ${name}`) || command.startsWith(`npm ${name}`)),
    );
    expect(named).toEqual(forPeople);
  });
});

describeOnUnix("npx changeset version", () => {
  it("gives all packages the same version and a changelog", () => {
    const folder = createPlace();
    const packages = ["packages", "servers"].flatMap((parent) =>
      readdirSync(join(ROOT, parent)).map((name) => join(parent, name)),
    );
    const manifests = [".", "e2e", ...packages].map((place) => join(place, "package.json"));
    for (const file of [...manifests, ".changeset", "pnpm-workspace.yaml"]) {
      cpSync(join(ROOT, file), join(folder, file), { recursive: true });
    }
    const change = '---\n"@suite/core": minor\n---\n\nSomething that users notice.\n';
    writeFileSync(join(folder, ".changeset/change.md"), change);
    const changeset = join(ROOT, "node_modules/.bin/changeset");
    const { status, stderr } = spawnSync(changeset, ["version"], {
      cwd: folder,
      encoding: "utf8",
      timeout: PATIENCE_MS,
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const read = (place: string): { version: string; private?: boolean } =>
      JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as { version: string };
    const published = packages.filter((place) => read(join(ROOT, place)).private !== true);
    const versions = new Set(published.map((place) => read(join(folder, place)).version));
    expect(versions.size).toBe(1);
    expect(versions.has(read(join(ROOT, "packages/core")).version)).toBe(false);
    const written = published.filter((place) => existsSync(join(folder, place, "CHANGELOG.md")));
    expect(written).toEqual(published);
  });
});
