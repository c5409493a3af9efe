import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PATIENCE_MS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";
import { createPlace } from "../support/place.ts";
import { inRoot } from "../support/root.ts";

const PROGRAM = inRoot("packages/create-server/dist/main.js");
const USAGE = 64;
/** Every server is one. */
const TEMPLATES = readdirSync(inRoot("servers"));

const folder = createPlace();

/** Standard input is no terminal. */
function create(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    encoding: "utf8",
    timeout: PATIENCE_MS,
  });
}

const listSources = (project: string): readonly string[] =>
  ["src", "test"]
    .flatMap((part) =>
      readdirSync(join(project, part), { recursive: true, encoding: "utf8" }).map((path) => join(part, path)),
    )
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(project, path));

const listImports = (text: string): readonly string[] =>
  [...text.matchAll(/^(?:import|export|\}) .*?from "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
    ([, stated, lazy]) => stated ?? lazy ?? "",
  );

const toPackage = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";

describe.each(TEMPLATES)("a server made from %s", (template) => {
  const project = join(folder, `my-${template}`);
  const made = create(`@me/my-${template}`, "--from", template);
  const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as Record<string, object>;
  const declared = Object.keys({
    ...manifest["dependencies"],
    ...manifest["devDependencies"],
    ...manifest["peerDependencies"],
  });

  it("has its own name everywhere", () => {
    expect(made).toMatchObject({ status: 0, stderr: "" });
    expect(manifest).toMatchObject({
      name: `@me/my-${template}`,
      mcpName: `io.github.YOUR-NAME/my-${template}`,
      bin: { [`my-${template}`]: "./dist/main.js" },
    });
    const introduction = readFileSync(join(project, "src/introduction.ts"), "utf8");
    expect(introduction).toContain(`name: "my-${template}"`);
    const readme = readFileSync(join(project, "README.md"), "utf8");
    expect(readme).toMatch(new RegExp(`^# @me/my-${template}\n`));
    const texts = listSources(project).map((file) => readFileSync(file, "utf8"));
    const former = [readme, JSON.stringify(manifest), ...texts].join("\n");
    expect(former).not.toMatch(/suite-(?:server|example)-|@suite\/(?:example-|server-(?!kit))|workspace:/);
  });

  it("imports nothing but its own files and what it declares", () => {
    const imports = listSources(project).flatMap((file) =>
      listImports(readFileSync(file, "utf8")).map((specifier) => ({ file, specifier })),
    );
    const missing = imports.filter(({ file, specifier }) => {
      if (specifier.startsWith(".")) return !existsSync(join(dirname(file), specifier));
      return !specifier.startsWith("node:") && !declared.includes(toPackage(specifier));
    });
    expect(imports.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it("has a README that leads nowhere outside", () => {
    const readme = readFileSync(join(project, "README.md"), "utf8");
    expect(readme).not.toContain("](..");
    // Into the suite, wherever that lives.
    const { homepage } = JSON.parse(readFileSync(inRoot("packages/create-server/package.json"), "utf8")) as {
      homepage: string;
    };
    const suite = homepage.replace("tree/main/packages/create-server#readme", "blob/main/");
    expect(readme).toContain(`](${suite}packages/server-kit/README.md`);
  });

  it("has a README whose command prints configuration for a host", () => {
    const readme = readFileSync(join(project, "README.md"), "utf8");
    const [, args = ""] = /`node dist\/main\.js (--print-host-config[^`]*)`/.exec(readme) ?? [];
    // Built, it is the program of its template under another name.
    const program = inRoot(`servers/${template}/dist/main.js`);
    const printed = spawnSync(process.execPath, [program, ...args.split(" ")], {
      encoding: "utf8",
      timeout: PATIENCE_MS,
    });
    expect(printed.status).toBe(0);
    expect(JSON.parse(printed.stdout)).toHaveProperty("mcpServers");
  });
});

it("can extend a server, in a few files that build and pass their test", () => {
  expect(create("@me/more-files", "--extend", "filesystem")).toMatchObject({ status: 0, stderr: "" });
  const project = join(folder, "more-files");
  expect(readdirSync(project, { recursive: true })).toHaveLength(10);
  // What npm would install.
  const modules = join(project, "node_modules/@suite");
  mkdirSync(modules, { recursive: true });
  for (const [name, path] of [
    ["server-kit", "packages/server-kit"],
    ["server-filesystem", "servers/filesystem"],
  ] as const)
    symlinkSync(inRoot(path), join(modules, name), "junction");
  symlinkSync(inRoot("node_modules/@types"), join(project, "node_modules/@types"), "junction");
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, args, { cwd: project, encoding: "utf8", timeout: PATIENCE_MS });
  const built = run(inRoot("node_modules/typescript/bin/tsc"));
  expect(built.stdout + built.stderr).toBe("");
  const tested = run("--test", "dist/test/main.test.js");
  expect(tested.stdout + tested.stderr).toMatch(/# pass 1\n# fail 0/);
});

it("has nothing in its templates that the servers do not have", () => {
  const templates = inRoot("packages/create-server/dist/templates");
  const stale = TEMPLATES.flatMap((template) =>
    listSources(join(templates, template))
      .map((file) => file.slice(templates.length + 1))
      .filter(
        (path) =>
          !existsSync(inRoot(`servers/${path}`)) &&
          !existsSync(inRoot(`packages/create-server/project/${path}`)),
      ),
  );
  expect(stale).toEqual([]);
});

it("needs no scope, and asks nothing with --yes", () => {
  expect(create("--yes").stdout).toContain("my-server from the template notes");
  expect(existsSync(join(folder, "my-server/.gitignore"))).toBe(true);
});

it("says, in a clone, how a project gets what it needs from there", () => {
  const [kit, git] = [inRoot("packages/server-kit"), inRoot("servers/git")];
  expect(create("next", "--from", "notes").stdout).toContain(`\n  npm install --save-dev ${kit}\n`);
  expect(create("more", "--extend", "git").stdout).toContain(`\n  npm install ${kit} ${git}\n`);
});

it("explains itself", () => {
  const { status, stdout } = create("--help");
  expect(status).toBe(0);
  for (const name of TEMPLATES) expect(stdout).toContain(name);
});

it.each([
  [[], "A name is missing"],
  [["Weather"], '"Weather" is not a valid package name'],
  [["../weather"], '"../weather" is not a valid package name'],
  [["one", "two"], "Only one name is allowed, not also two"],
  [["one", "--from", "weather"], 'There is no template "weather"'],
  [["one", "--form", "git"], "Unknown option '--form'\n"],
  [["one", "--extend", "notes"], "notes is an example"],
  [["one", "--extend", "git", "--from", "git"], "not both"],
  [["one", "--from", "--yes"], "Did you forget to specify the option argument for '--from'?"],
  [["full"], "full is not empty"],
  [["file"], "file cannot be used"],
])("refuses %j", (args, words) => {
  mkdirSync(join(folder, "full"), { recursive: true });
  writeFileSync(join(folder, "full/kept.txt"), "kept");
  writeFileSync(join(folder, "file"), "kept");
  const { status, stderr } = create(...args);
  expect(stderr).toContain(words);
  expect(status).toBe(USAGE);
  expect(readdirSync(join(folder, "full"))).toEqual(["kept.txt"]);
  expect(existsSync(join(folder, "one"))).toBe(false);
});
