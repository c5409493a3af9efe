import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { CHECKS, visitServer } from "@suite/check";
import { capableIn, PATIENCE_MS, until } from "@suite/check/wires";
import { expect, it } from "vitest";

import { undoAfterTest } from "../support/afterwards.ts";
import { Child } from "../support/child.ts";
import { createPlace } from "../support/place.ts";
import { inRoot } from "../support/root.ts";
import { node } from "../support/servers.ts";
import { officialClients } from "./official-clients.ts";
import { itOnUnix } from "../support/programs.ts";

const run = promisify(execFile);
const TEMP = createPlace();
const CHECK = node("packages/check/dist/program/main.js");
const FLAWED = node("e2e/dist/fixtures/flawed.js");
const LIAR = node("e2e/dist/fixtures/liar.js");

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code?: number;
}

const runProgram = ([file = "", ...first]: readonly string[], args: readonly string[]): Promise<Ended> =>
  run(file, [...first, ...args], {
    env: { ...process.env, TMPDIR: TEMP },
    timeout: 4 * PATIENCE_MS,
  }).catch((error: unknown) => error as Ended);

/** The check as a person starts it, patient on a busy machine. */
const check = (...args: readonly string[]): Promise<Ended> =>
  runProgram(CHECK, ["--patience", "60", "--timeout", "240", ...args]);

it("tells people what is wrong, where the rule is and how to mend it, the worst first", async () => {
  const { stdout, code } = await check("--revision", "2025-11-25", "--", ...LIAR);
  expect(code).toBe(1);
  const findings = [...stdout.matchAll(/^(?:✗|!|·) (\w+) (\S+): (.*)$/gm)];
  const levels = findings.map(([, level]) => level);
  expect(levels).toEqual(
    ["error", "warning", "note"].flatMap((level) => levels.filter((one) => one === level)),
  );
  const errors = findings.filter(([, level]) => level === "error");
  expect(errors.map(([, , rule]) => rule)).toEqual([
    "tools/structured-content-conforms",
    "resources/template-syntax",
    "hostile/survived",
  ]);
  expect(stdout).toContain(
    "lie gives structuredContent that does not fit its outputSchema (2025-11-25)\n    rule: A tool with",
  );
  expect(stdout).toContain(
    "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
  );
  // A tool that needs a task is not called as others are.
  expect(stdout).not.toContain("later gives");
});

it("has what the clients that nobody here wrote make of a server", async () => {
  const setting = async () => ({ place: { command: LIAR }, folder: createPlace() });
  const { findings } = await visitServer(setting, {
    revision: "2025-11-25",
    transport: "stdio",
    // What the clients get is compared with what the calls gave.
    checks: [...CHECKS.filter(({ name }) => name === "tool calls"), officialClients],
  });
  for (const client of ["SDK v1", "SDK v2"])
    expect(findings.map(({ words }) => words)).toContainEqual(
      expect.stringMatching(new RegExp(`^${client}, 2025-11-25 .*output schema`)),
    );
});

it("says of itself only what the revision knows", () => {
  expect(capableIn("2025-03-26")).not.toHaveProperty("elicitation");
  expect(capableIn("2025-06-18")).toMatchObject({ elicitation: {}, sampling: {} });
  expect(JSON.stringify(capableIn("2025-06-18"))).not.toContain("url");
  expect(capableIn("2025-11-25")).toHaveProperty("elicitation.url");
});

it("checks a server that listens, in both eras", async () => {
  const port = await new Promise<string>((resolve, reject) => {
    const ended = (): void => reject(new Error("The server did not start"));
    const program = inRoot("e2e/dist/bench/http/servers/sdk-v2.js");
    const child = new Child([process.execPath, program], {}, { line: resolve, ended });
    undoAfterTest(() => child.kill("SIGKILL"));
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const revisions = ["--revision", "2025-11-25", "--revision", "2026-07-28"];
  const { stdout, code } = await check("--url", url, ...revisions, "--call-tools", "--json");
  const { findings, revisions: spoken } = JSON.parse(stdout) as {
    readonly findings: readonly { readonly level: string; readonly rule: string }[];
    readonly revisions: readonly string[];
  };
  // The SDK leaves it to whoever uses it to look at the Origin.
  const errors = findings.filter(({ level }) => level === "error").map(({ rule }) => rule);
  expect(errors).toEqual(["http/origin-validated"]);
  expect(spoken).toEqual(["2025-11-25", "2026-07-28"]);
  expect(code).toBe(1);
});

it("writes what build servers, code scanning and badges read, and lets known findings be", async () => {
  const folder = createPlace();
  const file = (name: string): string => join(folder, name);
  const read = (name: string): string => readFileSync(file(name), "utf8");
  const once = ["--revision", "2025-11-25", "--no-speed"];
  const flaw = ["--", ...FLAWED, "ping with words"];
  const files = ["junit.xml", "sarif.json", "badge.svg"].map(
    (name) => `--${name.split(".")[0]}=${file(name)}`,
  );
  const first = await check(...once, ...files, "--write-baseline", "--baseline", file("known.json"), ...flaw);
  expect(first.code).toBeUndefined();
  expect(JSON.parse(read("known.json"))).toHaveProperty(
    ["ping/answered"],
    ["ping is not answered with an empty result"],
  );
  expect(read("junit.xml")).toMatch(
    /^<\?xml [^]*<testsuite name="[^"]*flawed\.js ping with words in 2025-11-25 over stdio" tests="\d+" failures="1">[^]*<failure message="ping is not/,
  );
  expect(JSON.parse(read("sarif.json"))).toMatchObject({
    version: "2.1.0",
    runs: [{ results: [{ ruleId: "ping/answered", level: "error" }, { level: "note" }] }],
  });
  expect(read("badge.svg")).toContain("1 error<");
  const known = await check(...once, "--baseline", file("known.json"), `--badge=${file("badge")}`, ...flaw);
  expect(known).toMatchObject({
    stdout: expect.stringContaining("0 errors, 0 warnings, 0 notes; 2 known") as string,
  });
  expect(known.code).toBeUndefined();
  expect(JSON.parse(read("badge"))).toMatchObject({ schemaVersion: 1, message: "passes" });
  const skipped = await check(...once, "--skip", "ping/answered=an old client needs it", ...flaw);
  expect(skipped.stdout).toContain("Skipped: ping/answered (an old client needs it)");
  expect(skipped.code).toBeUndefined();
  expect((await check(...once, ...flaw)).code).toBe(1);
});

it.each([
  ["console.error('no token'); process.exitCode = 3", [/exit code 3/, /\(stderr\) no token/]],
  [
    'process.stdin.once(\'data\', () => console.log(\'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no key"}}\'))',
    [/No session in 2025-11-25/, /no key/],
  ],
])("says what a program that cannot be checked said itself: %s", async (script, words) => {
  const { stdout, code } = await check("--revision", "2025-11-25", "--", process.execPath, "-e", script);
  for (const said of [/could not be checked: /, ...words]) expect(stdout).toMatch(said);
  expect(code).toBe(69);
});

it("says what stands before a server, and what to give it", async () => {
  const http = createServer((_, response) => response.writeHead(401).end('{"error":"unauthorized"}'));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  undoAfterTest(() => http.close());
  const { port } = http.address() as AddressInfo;
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const { stdout, code } = await check("--revision", revision, "--url", `http://127.0.0.1:${port}/mcp`);
    expect(stdout).toMatch(/could not be checked: HTTP 401\n.*--header/);
    expect(code).toBe(69);
  }
});

it("comes to its end when its time is over, and says what was not checked", async () => {
  const { stdout, code } = await runProgram(CHECK, ["--timeout", "1", "--", ...FLAWED, "no answer"]);
  expect(stdout).toContain("check/finished");
  expect(code).toBe(1);
});

it("hears no server out that says things without end", async () => {
  const { stdout, code } = await check("--revision", "2025-11-25", "--no-speed", "--", ...FLAWED, "a flood");
  expect(stdout).toContain("check/answered: The server says things without end");
  expect(code).toBe(1);
});

itOnUnix("takes the server with it when it is stopped, and what that has started", async () => {
  const folder = createPlace();
  const inner = `require("fs").appendFileSync(${JSON.stringify(join(folder, "pids"))}, process.pid + "\\n"); setInterval(() => {}, 1000)`;
  const outer = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "inherit" })`;
  const nothing = (): void => undefined;
  const program = new Child(
    [...CHECK, "--", process.execPath, "-e", outer],
    { TMPDIR: TEMP },
    { line: nothing, ended: nothing },
  );
  undoAfterTest(() => program.kill("SIGKILL"));
  const readPids = (): number[] => readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
  await until(() => readdirSync(folder).length > 0 && readPids()[0], "The server");
  program.kill("SIGTERM");
  expect(await program.exited).toMatchObject({ signal: "SIGTERM" });
  // By then, another would have been started in its place.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(readPids()).toHaveLength(1);
  await expect.poll(() => readPids().filter(isAlive)).toEqual([]);
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const BED = node("e2e/dist/bed/main.js");
const PROGRAMS = { check: CHECK, bed: BED };

it.each([
  [
    "check",
    ["--url", "--header", "--call-tools", "--revision", "--timeout", "--patience", "--only", "--skip"],
  ],
  [
    "check",
    ["--baseline", "--write-baseline", "--strict", "--json", "--junit", "--sarif", "--badge", "--list"],
  ],
  ["bed", ["--server", "--revision", "--node"]],
] as const)("%s says that it takes %j", async (program, flags) => {
  const { stdout, code } = await runProgram(PROGRAMS[program], ["--help"]);
  for (const flag of flags) expect(stdout).toContain(` ${flag} `);
  expect(code).toBeUndefined();
});

it.each([
  ["check", ["--comand", "x"], "Unknown option '--comand'"],
  ["check", [], "Say which server"],
  ["check", ["--revision", "2025", "--", "x"], "--revision is one of 2024-11-05, "],
  ["check", ["--skip", "ping/answered", "--", "x"], "needs a reason"],
  ["check", ["--skip", "pong=no", "--", "x"], "no such check or rule"],
  ["check", ["--baseline", "no-such-file", "--", "x"], "--write-baseline makes it"],
  ["bed", ["--server", "gti"], "--server is one of "],
] as const)("%s refuses %j, and leaves nothing behind", async (program, args, words) => {
  mkdirSync(TEMP, { recursive: true });
  expect(await runProgram(PROGRAMS[program], args)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining(words) as string,
  });
  expect(readdirSync(TEMP)).toEqual([]);
});
