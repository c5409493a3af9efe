import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_MS } from "@suite/check/wires";
import { expect } from "vitest";
import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import { ROOT } from "./documents.ts";

type Check = (...parts: string[]) => void;

/** A form of command that the documents use: what shows that it works, or why it is not run, and what is checked instead. */
export type CommandForm = { readonly form: RegExp } & (
  | { readonly run: Check }
  | { readonly notRun: string; readonly check?: Check }
);

const runInShell = (command: string, cwd = ROOT): { status: number | null; stdout: string } =>
  spawnSync("bash", ["-c", command], { cwd, encoding: "utf8", timeout: PATIENCE_MS });

const isThere = (path: string): void => expect(existsSync(join(ROOT, path)), path).toBe(true);

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

export const scripts: Manifest["scripts"] = readManifest(ROOT).scripts;

/** The help of a program: many commands ask for the same. */
const helpOf = (program: string): (() => string) =>
  oncePerFile(() => {
    const { status, stdout } = runInShell(`node ${program} --help`);
    expect(status).toBe(0);
    return stdout;
  });

/** Of the programs that some scripts start. */
const HELP: Readonly<Record<string, () => string>> = {
  start: helpOf("packages/tour/dist/main.js"),
  bench: helpOf("e2e/dist/bench/main.js"),
  e2e: helpOf("e2e/dist/bed/main.js"),
  own: helpOf("scripts/own.mjs"),
};

const clientHelp = helpOf("packages/client/dist/main.js");

function checkScript(name = "", args = ""): void {
  expect(Object.keys(scripts)).toContain(name);
  if (args === "") return;
  const help = HELP[name]?.();
  const words = args.split(" ").filter((word) => !/^\d+$/.test(word));
  for (const word of words) expect(help).toContain(word);
}

/** What npx would start is started here, and says how it understood its options. */
function checkServer(server = "", command = "", args = ""): void {
  const { bin = {} } = readManifest(join(ROOT, "servers", server));
  expect(Object.keys(bin)).toEqual([command || `suite-server-${server}`]);
  const { status } = runInShell(`set -f; node servers/${server}/dist/main.js --print-config${args}`);
  expect(status).toBe(0);
}

function listTestFiles(path: string): readonly string[] {
  if (path.endsWith(".ts")) return [path];
  const files = readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".test.ts")).map((file) => join(path, file));
}

/** The first form that fits counts. */
export const FORMS: readonly CommandForm[] = [
  {
    form: /^npm (start|test)(?: -- (.*))?$/,
    notRun: "these tests are part of npm test, and e2e/tour runs the tour",
    check: checkScript,
  },
  {
    form: /^npm run ([\w:-]+)(?: -- (.*))?$/,
    notRun: "minutes each; npm test consists of most of them, and what they start has a help that is checked",
    check: checkScript,
  },
  {
    form: /^(UPDATE_\w+)=1 npx vitest run --project e2e (\S+)$/,
    notRun: "it would write to the tree that is being tested",
    check(variable = "", path = "") {
      const texts = listTestFiles(path).map((file) => readFileSync(join(ROOT, file), "utf8"));
      expect(texts.some((text) => text.includes(`process.env["${variable}"]`))).toBe(true);
    },
  },
  {
    form: /^npx vitest run (\S+)$/,
    notRun: "they are tests like this one",
    check: (path = "") => expect(listTestFiles(path)).not.toEqual([]),
  },
  {
    form: /^(node \S+) --http \d+$/,
    run(command = "") {
      // On any free port: the documents' own may be taken. Once it has said which, a signal ends it, cleanly.
      const { status, stdout } = runInShell(
        `exec 3< <(exec ${command} --http 0 2>&1); read -r line <&3; echo "$line"; kill $!; wait $!`,
      );
      expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
      expect(status).toBe(0);
    },
  },
  {
    form: /^(node \S+ --(?:help|doctor|version|print-config|print-host-config)(?: .*)?)$/,
    run(command = "") {
      const { status, stdout } = runInShell(command);
      // A doctor that found something missing has done its work.
      expect(command.includes("--doctor") ? [0, 69] : [0]).toContain(status);
      expect(stdout).not.toBe("");
    },
  },
  {
    form: /^node \/path\/to\/the\/clone\/(packages\/create-server\/dist\/main\.js my-server)$/,
    run(program = "") {
      const folder = createPlace();
      expect(runInShell(`node ${join(ROOT, program)} --yes`, folder).status).toBe(0);
      expect(readManifest(join(folder, "my-server"))).toMatchObject({ name: "my-server" });
    },
  },
  {
    form: /^(?:\w+_FILE=\S+ )?npx (?:-y )?@suite\/server-(\w+)()(.*)$/,
    notRun: "not published yet; e2e/registry has npx start every server from a registry on this machine",
    check: checkServer,
  },
  {
    form: /^(?:\w+_FILE=\S+ )?npx -y -p @suite\/server-(\w+) -p \S+ (suite-server-\w+)(.*)$/,
    notRun: "not published yet",
    check: checkServer,
  },
  {
    form: /^npx @suite\/check(?: .*)?$/,
    notRun: "not published yet; e2e/bed/program.test.ts runs the program on servers here",
    check: () => isThere("packages/check/dist/program/main.js"),
  },
  {
    form: /^npm create(?: @suite\/server(?: \S+)?(?: -- --from (\S+))?)?$/,
    notRun: "not published yet; e2e/registry runs it against a registry on this machine",
    check: (template) => isThere(`packages/create-server/dist/templates/${template || "notes"}`),
  },
  {
    form: /^suite-client (?:--json )?(\w+) .*$/,
    notRun: "the servers in these commands stand for any; e2e/suite-client runs every command",
    check: (command = "") => expect(clientHelp()).toContain(`\n  ${command} `),
  },
  {
    form: /^npm create @suite\/server \S+ -- --extend (\S+)$/,
    notRun: "not published yet; e2e/registry does the same from the clone",
    check: (server) => isThere(`servers/${server}`),
  },
  {
    form: /^npm install @suite\/(server-\S+) @suite\/server-kit$/,
    notRun: "not published yet; e2e/extending uses both as they are built",
    check: (server) => isThere(`servers/${server.replace("server-", "")}/dist/index.mjs`),
  },
  { form: /^cd my-server$/, notRun: "e2e/registry does, with what npm create has made" },
  {
    form: /^npm install && npm run build && npm test$/,
    notRun: "e2e/registry does, with what npm create has made",
  },
  {
    form: /^npm install \/path\/to\/the\/clone\/(packages\/server-kit) \/path\/to\/the\/clone\/(servers\/\S+)$/,
    notRun: "e2e/extending uses both as they are built",
    check: (kit, server) => [kit, server].forEach((one) => isThere(one)),
  },
  {
    form: /^npm install \/path\/to\/the\/clone\/(\S+)$/,
    notRun: "code.test.ts does, and uses it",
    check: isThere,
  },
  {
    form: /^npm install --save-dev \/path\/to\/the\/clone\/(\S+)$/,
    notRun: "it gets other packages from npm; e2e/registry installs the same ones",
    check: isThere,
  },
  { form: /^node (?:dice|try|check|hello)\.mjs$/, notRun: "code.test.ts does, with the block of that name" },
  {
    form: /^claude mcp add \S+ -- node \S+(?: \S+)*$/,
    notRun: "the host's own program is not here; hosts.test.ts starts what it is told to start",
  },
  {
    form: /^node servers\/<name>\/dist\/main\.js$/,
    notRun: "it stands for all of them",
    check: () =>
      readdirSync(join(ROOT, "servers")).forEach((name) => isThere(`servers/${name}/dist/main.js`)),
  },
  {
    form: /^node (scripts\/services\.mjs)$/,
    notRun: "it installs programs on the machine, which is for whoever prepares it",
    check: isThere,
  },
  {
    form: /^npx changeset( version)?$/,
    notRun: "the one asks a person, the other has a test of its own below",
    check: () => isThere("node_modules/.bin/changeset"),
  },
  {
    form: /^npx pnpm -r publish --access public$/,
    notRun: "it is for good; e2e/registry publishes to a registry on this machine in the same way",
    check: () => isThere("node_modules/.bin/pnpm"),
  },
];
