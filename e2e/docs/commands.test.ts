import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../support/patience.ts";
import { blocksOf, readDocuments, ROOT } from "./documents.ts";

const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

const commands = readDocuments()
  .flatMap(blocksOf)
  .filter(({ language }) => language === "sh")
  .flatMap((block) => block.text.split("\n").map((line) => line.replace(/\s+#.*$/, "")))
  .filter((command) => command !== "");

const runInShell = (command: string): { status: number | null; stdout: string } =>
  spawnSync("bash", ["-c", command], { cwd: ROOT, encoding: "utf8", timeout: PATIENCE_MS });

/** Every form of command that the documents use, and what shows that it works. A form that is not here is a failure. */
const CHECKS: readonly (readonly [form: RegExp, check: (...parts: string[]) => void])[] = [
  [/^npm (start|test)(?: -- (.*))?$/, (name = "", args = "") => checkScript(name, args)],
  [/^npm run (\S+)(?: -- (.*))?$/, (name = "", args = "") => checkScript(name, args)],
  [/^npx vitest run (\S+)$/, (path = "") => expect(existsSync(join(ROOT, path))).toBe(true)],
  [
    /^(printf .* \| node \S+)$/,
    (command = "") => {
      const { status, stdout } = runInShell(command);
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ jsonrpc: "2.0", result: {} });
    },
  ],
  [
    /^(node \S+) --http \d+$/,
    (command = "") => {
      // On any free port: the documents' own may be taken. Once it has said which, a signal ends it, cleanly.
      const { status, stdout } = runInShell(
        `exec 3< <(exec ${command} --http 0 2>&1); read -r line <&3; echo "$line"; kill $!; wait $!`,
      );
      expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
      expect(status).toBe(0);
    },
  ],
  // Not published yet: what npx would start is started here, and says how it understood its options. A secret's file is
  // not on this machine.
  [
    /^(?:\w+_FILE=\S+ )?npx (@suite\/server-(\S+))(.*)$/,
    (name = "", server = "", args = "") => {
      expect(Object.keys(programsOf(name))).toHaveLength(1);
      const { status, stdout } = runInShell(
        `set -f; node servers/${server}/dist/main.js --print-config${args}`,
      );
      expect({ status, stdout }).toMatchObject({ status: 0 });
    },
  ],
  [/^npm pack \.\/(\S+)$/, (place = "") => expect(existsSync(join(ROOT, place, "package.json"))).toBe(true)],
  // What they make, installs, builds and passes its tests in e2e/registry.
  [
    /^npm create @suite\/server \S+(?: -- --from (\S+))?$/,
    (template = "notes") =>
      expect(existsSync(join(ROOT, "packages/create-server/dist/templates", template))).toBe(true),
  ],
  [/^cd my-server$/, () => undefined],
  [/^npm install && npm run build && npm test$/, () => undefined],
  [
    /^npm install \/path\/to\/the\/clone\/suite-core-(\S+)\.tgz$/,
    (version = "") =>
      expect(JSON.parse(readFileSync(join(ROOT, "packages/core/package.json"), "utf8"))).toMatchObject({
        version,
      }),
  ],
  [
    /^(node \S+ --(?:help|doctor|version|print-config|print-host-config)(?: .*)?)$/,
    (command = "") => {
      const { status, stdout } = runInShell(command);
      // A doctor that found something missing has done its work.
      expect(command.includes("--doctor") ? [0, 69] : [0]).toContain(status);
      expect(stdout).not.toBe("");
    },
  ],
  // The host's own program is not here; what it is told to start is checked with the other configuration.
  [/^claude mcp add \S+ -- node \S+(?: \S+)*$/, () => undefined],
];

function programsOf(name: string): object {
  const folders = readdirSync(join(ROOT, "servers")).map((folder) =>
    join(ROOT, "servers", folder, "package.json"),
  );
  const manifests = folders.map(
    (file) => JSON.parse(readFileSync(file, "utf8")) as { name: string; bin?: object },
  );
  return manifests.find((manifest) => manifest.name === name)?.bin ?? {};
}

const programs: Readonly<Record<string, string>> = { start: "tour", bench: "bench", e2e: "bed" };

function checkScript(name: string, args: string): void {
  expect(Object.keys(scripts)).toContain(name);
  if (args === "") return;
  // Its help names what may follow, without the build and the run that the script itself would mean.
  const { status, stdout } = runInShell(`node e2e/dist/${programs[name]}/main.js --help`);
  expect(status).toBe(0);
  for (const word of args.split(" ")) expect(stdout).toContain(word);
}

describe("commands in the documents", () => {
  it.each([...new Set(commands)])("%s", (command) => {
    const found = CHECKS.map(([form, check]) => [form.exec(command), check] as const).find(
      ([match]) => match !== null,
    );
    expect(found, "no check for this form of command").toBeDefined();
    const [match, check] = found ?? [];
    expect(match).not.toBeNull();
    check?.(...(match?.slice(1) ?? []).map((part: string | undefined) => part ?? ""));
  });

  it("name every script there is", () => {
    const named = Object.keys(scripts).filter((name) =>
      commands.some((command) => command.startsWith(`npm run ${name}`) || command.startsWith(`npm ${name}`)),
    );
    expect(named).toEqual(Object.keys(scripts));
  });
});
