import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

import { parse } from "acorn";
import { expect, it } from "vitest";

import { undoAfterTest } from "../support/afterwards.ts";
import { Child } from "../support/child.ts";
import { createPlace } from "../support/place.ts";
import { describeOnUnix } from "../support/programs.ts";
import { INITIALIZE } from "./messages.ts";

const SERVERS = ["fetch", "filesystem", "git", "github", "notes", "sqlite"];

const distOf = (server: string): string =>
  fileURLToPath(new URL(`../../servers/${server}/dist`, import.meta.url));

const readLauncher = (server: string): string => readFileSync(`${distOf(server)}/main.js`, "utf8");

/** Runs it as if by that version of Node, which keeps compiled code or cannot. */
function launch(
  server: string,
  version: string,
  loader: { readonly enableCompileCache?: (folder: string) => void } = {},
  env: NodeJS.ProcessEnv = {},
): { required: string[]; said: string[]; exitCode?: number } {
  const required: string[] = [];
  const said: string[] = [];
  const process = { versions: { node: version }, execPath: "/opt/old/node", exitCode: undefined, env };
  const script = readLauncher(server).replace(/^#!.*/, "");
  runInNewContext(script, {
    process,
    require: (file: string) => (file === "module" ? loader : required.push(file)),
    console: { error: (line: string) => said.push(line) },
  });
  const { exitCode } = process;
  return { required, said, ...(exitCode !== undefined && { exitCode }) };
}

it.each(SERVERS)("%s starts with a file that any Node can parse", (server) => {
  expect(() => parse(readLauncher(server), { ecmaVersion: 5, allowHashBang: true })).not.toThrow();
});

it.each(SERVERS)("%s has nothing to decode in what a first call loads", (server) => {
  const read = (file: string): string => readFileSync(`${distOf(server)}/${file}`, "utf8");
  const program = read("program.js");
  const [file = ""] = /chunks\/server-[\w-]+\.js/.exec(program) ?? [];
  for (const code of [program, read(file)]) {
    expect(code.match(/.{0,40}[^\0-\u007F]/)?.[0]).toBeUndefined();
  }
});

it.each(SERVERS)("%s loads little before its first list of tools", (server) => {
  // One careless import adds a third to this, and nobody sees it.
  expect(statSync(`${distOf(server)}/program.js`).size).toBeLessThan(92_000);
});

it.each(["0.12.18", "4.9.1", "8.17.0", "18.20.8", "20.18.3"])("says that Node %s is too old", (version) => {
  const { required, said, exitCode } = launch("git", version);
  expect(required).toEqual([]);
  expect(said).toEqual([
    `suite-server-git needs Node 20.19 or later; this is Node ${version} at /opt/old/node`,
  ]);
  expect(exitCode).toBe(78);
});

it.each(["20.19.0", "20.20.2", "22.0.0", "100.1.0"])("starts the program with Node %s", (version) => {
  expect(launch("git", version)).toEqual({ required: ["./program.js"], said: [] });
});

it.each<[NodeJS.ProcessEnv, string[]]>([
  [{ HOME: "/home/ada" }, ["/home/ada/.cache/suite-servers"]],
  [{ HOME: "/home/ada", XDG_CACHE_HOME: "/fast" }, ["/fast/suite-servers"]],
  // Node's own choice would be a folder that others can write to, and it runs what it finds there.
  [{}, []],
])("with %o has Node keep compiled code where only its user can write: %o", (env, folders) => {
  const kept: string[] = [];
  const loader = { enableCompileCache: (folder: string) => void kept.push(folder) };
  const { required } = launch("git", "22.12.0", loader, env);
  expect([kept, required]).toEqual([folders, ["./program.js"]]);
});

describeOnUnix("a folder that is gone", () => {
  it.each([
    ["filesystem", ["here"]],
    ["git", ["."]],
    ["sqlite", ["--create", "here.db"]],
  ])("%s says so where the folder that it is started in has been deleted", (server, args) => {
    const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
    const command = [createPlace(), process.execPath, `${distOf(server)}/main.js`, ...args];
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script, "sh", ...command], {
      encoding: "utf8",
    });
    const said = "The folder it was started in has been deleted.";
    const hint = "Start it in a folder that exists, or give it absolute paths.";
    const name = `suite-server-${server}`;
    expect({ status, stdout, stderr }).toEqual({
      status: 69,
      stdout: "",
      stderr: `${name}: ${said}\n${name}: ${hint}\n`,
    });
  });
});

it("ends with a reason where its build has listed other tools than it has", async () => {
  const folder = createPlace();
  cpSync(distOf("notes"), folder, { recursive: true });
  const list = join(folder, "tools.json");
  writeFileSync(list, JSON.stringify((JSON.parse(readFileSync(list, "utf8")) as object[]).slice(1)));
  const program = new Child(
    [process.execPath, join(folder, "main.js")],
    {},
    { line: () => {}, ended: () => {} },
  );
  undoAfterTest(() => program.kill("SIGKILL"));
  program.write(`${JSON.stringify(INITIALIZE)}\n`);
  expect(await program.exited).toEqual({ code: 70, signal: null });
  expect(program.stderr).toMatch(
    /^notes: the server's tools are not those that its build has listed: save_note\n/,
  );
});
