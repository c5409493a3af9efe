import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

import { describe, expect, it, onTestFinished } from "vitest";

import { EVERYTHING, FILESYSTEM, NOTES, TOOLS_ONLY } from "../support/servers.ts";
import { startServer, type RawServer } from "./raw-server.ts";
import { modernMeta, startLegacy, TARGETS } from "./targets.ts";
import { describeOnLinux, describeOnUnix, itOnUnix } from "../support/programs.ts";

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
/** More than a server reads at once. */
const LONG = LIST.repeat(1600);
/** More than a server leaves unread before it reads no further, even by the answers to what it reads at once. */
const MUCH = 6 * 1024 * 1024;
const OPENING = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "doomed", version: "1" } },
})}\n`;

const CLEAN = { code: 0, signal: null };
/** A second is what a server has; the rest is a busy machine's. */
const DEADLINE_MS = 20_000;

/** As on a machine that has much else to do: it hardly gets a turn, and waits for it without work. */
const HELD_UP = `data:text/javascript,${encodeURIComponent(
  "const cell = new Int32Array(new SharedArrayBuffer(4)); setInterval(() => Atomics.wait(cell, 0, 0, 400), 1).unref();",
)}`;

/** As long as LONG, with no more requests in it than it takes for much to be answered; as many, where the list is short. */
async function toLong(server: RawServer): Promise<string> {
  const { length } = JSON.stringify(await server.request("tools/list"));
  const count = Math.min(1600, Math.ceil(MUCH / length));
  return `${LIST.trimEnd().padEnd(LONG.length / count)}\n`.repeat(count);
}

async function startBusy(): Promise<RawServer> {
  const server = await startLegacy(EVERYTHING);
  const params = { name: "slow", arguments: { ms: 600_000, label: "busy" } };
  server.say({ jsonrpc: "2.0", id: "busy", method: "tools/call", params });
  await server.request("ping");
  return server;
}

async function timed<T>(promise: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const start = performance.now();
  const value = await promise;
  return { value, ms: performance.now() - start };
}

/** Gone, or dead and waiting for a parent that no longer looks. */
async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat === undefined || /\) Z /.test(stat);
}

describe("a server in the middle of a call", () => {
  describeOnUnix("when it is told to end", () => {
    it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("aborts it and ends well on %s", async (signal) => {
      const server = await startBusy();
      server.child.kill(signal);
      const { value, ms } = await timed(server.ended);
      expect(value).toEqual(CLEAN);
      expect(ms).toBeLessThan(DEADLINE_MS);
      expect(server.stderr).toContain("aborted busy");
      expect(server.answersTo("busy")).toMatchObject([{ error: { code: -32_603 } }]);
    });
  });

  itOnUnix("is not held up by a second signal", async () => {
    const server = await startBusy();
    server.child.kill("SIGTERM");
    server.child.kill("SIGINT");
    expect((await timed(server.ended)).ms).toBeLessThan(DEADLINE_MS);
  });

  it("aborts it and ends well when stdin closes", async () => {
    const server = await startBusy();
    const { value, ms } = await timed(server.leave());
    expect(value).toEqual(CLEAN);
    expect(ms).toBeLessThan(DEADLINE_MS);
    expect(server.stderr).toContain("aborted busy");
  });

  it.each([
    ["", []],
    [", although it hardly gets to work", ["--import", HELD_UP]],
  ])("still answers what is nearly done when stdin closes%s", async (_, options) => {
    const [node = "", ...program] = EVERYTHING;
    const server = await startLegacy([node, ...options, ...program]);
    const params = { name: "slow", arguments: { ms: 50 } };
    server.say({ jsonrpc: "2.0", id: "quick", method: "tools/call", params });
    expect(await server.leave()).toEqual(CLEAN);
    expect(server.answersTo("quick")).toMatchObject([{ result: { content: [{ text: "waited 50 ms" }] } }]);
  });

  it("ends listen streams with a result when stdin closes", async () => {
    const server = startServer(EVERYTHING);
    const params = { notifications: { toolsListChanged: true }, _meta: modernMeta() };
    server.say({ jsonrpc: "2.0", id: "stream", method: "subscriptions/listen", params });
    await server.hear(({ method }) => method === "notifications/subscriptions/acknowledged");
    const { value, ms } = await timed(server.leave());
    expect(value).toEqual(CLEAN);
    expect(ms).toBeLessThan(DEADLINE_MS);
    expect(server.answersTo("stream")).toHaveLength(1);
  });

  it("ends well while it waits for an answer of a client that is gone", async () => {
    const server = await startLegacy(EVERYTHING, "2025-11-25", { elicitation: {} });
    server.say({ jsonrpc: "2.0", id: "asks", method: "tools/call", params: { name: "ask_twice" } });
    await server.hear(({ method }) => method === "elicitation/create");
    const { value, ms } = await timed(server.leave());
    expect(value).toEqual(CLEAN);
    expect(ms).toBeLessThan(DEADLINE_MS);
  });
});

describeOnUnix("a server whose last answers nobody reads", () => {
  it.each([
    ["a signal", ({ child }: RawServer) => void child.kill("SIGTERM")],
    ["the end of input and a signal", ({ child }: RawServer) => child.stdin.end(() => child.kill("SIGTERM"))],
  ])("frees what it holds, and says that they were not read, after %s", async (_, end) => {
    const server = startServer(TOOLS_ONLY);
    await server.request("ping");
    server.child.stdout.pause();
    const pings = Array.from(
      { length: 20_000 },
      (__, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`,
    );
    await server.write(pings.join(""));
    const exit = once(server.child, "exit");
    end(server);
    expect(await exit).toEqual([74, null]);
    server.child.stdout.resume();
    await server.ended;
    expect(server.stderr).toBe("disposed\n");
  });
});

describe.each(TARGETS)("the end of $name", ({ command }) => {
  it("answers everything that came before the end of input", async () => {
    const server = startServer(command);
    const lines = Array.from({ length: 2000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    void server.write(lines.join(""));
    expect(await server.leave()).toEqual(CLEAN);
    expect(server.heard).toHaveLength(2000);
  });

  it("is quiet and clean when nobody listens any more", async () => {
    const server = await startLegacy(command);
    server.child.stdout.destroy();
    for (let round = 0; round < 20; round += 1) await server.write(LIST.repeat(50));
    const { value, ms } = await timed(server.leave());
    expect(value).toEqual(CLEAN);
    expect(ms).toBeLessThan(DEADLINE_MS);
    expect(server.stderr).toBe("");
  });

  it("leaves by itself when nobody listens any more, although more could still be said", async () => {
    const server = await startLegacy(command);
    server.child.stdout.destroy();
    // The end of the output only shows when something is written to it.
    await server.write(LIST);
    const { value, ms } = await timed(server.ended);
    expect(value).toEqual(CLEAN);
    expect(ms).toBeLessThan(DEADLINE_MS);
  });

  it("is clean when the reader goes in the middle of a long answer", async () => {
    const server = await startLegacy(command);
    const long = await toLong(server);
    server.child.stdout.once("data", () => server.child.stdout.destroy());
    await server.write(long);
    expect(await server.leave()).toEqual(CLEAN);
    expect(server.stderr).toBe("");
  });

  it("is clean when stdin closes in the middle of a long answer", async () => {
    const server = await startLegacy(command);
    void server.write(await toLong(server));
    expect(await server.leave()).toEqual(CLEAN);
    expect(server.strays).toEqual([]);
  });
});

describeOnLinux("every server", () => {
  const COMMANDS = JSON.stringify(TARGETS.map(({ command }) => command));

  it.each([
    ["that listened", "child.stdout.resume()"],
    ["that never read a word", "child.stdin.write(process.env.FLOOD)"],
  ])("follows the death of a client %s", async (_, behaviour) => {
    const source = `
      const { spawn } = require("node:child_process");
      for (const [index, [file, ...args]] of JSON.parse(process.env.COMMANDS).entries()) {
        const child = spawn(file, args, { stdio: ["pipe", "pipe", "ignore"] });
        child.stdin.write(process.env.OPENING);
        child.stdout.once("readable", () => console.log(index, child.pid));
        ${behaviour};
      }
    `;
    const client = spawn(process.execPath, ["-e", source], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, COMMANDS, OPENING, FLOOD: LONG },
    });
    onTestFinished(() => void client.kill("SIGKILL"));
    const pids = new Map<string, number>();
    for await (const line of createInterface(client.stdout)) {
      const [index, pid] = line.split(" ").map(Number);
      pids.set(TARGETS[index ?? -1]?.name ?? line, pid ?? 0);
      if (pids.size === TARGETS.length) break;
    }
    expect([...pids.keys()].toSorted()).toEqual(TARGETS.map(({ name }) => name).toSorted());
    for (const [name, pid] of pids) expect(await isGone(pid), name).toBe(false);
    client.kill("SIGKILL");
    for (const [name, pid] of pids) await expect.poll(() => isGone(pid), { message: name }).toBe(true);
  });
});

describe("standard output", () => {
  it("carries the protocol alone, whatever a tool prints", async () => {
    const server = await startLegacy(EVERYTHING);
    const { result } = await server.request("tools/call", { name: "chatty" });
    expect(result).toMatchObject({ content: [{ type: "text", text: "said" }] });
    await server.leave();
    expect(server.strays).toEqual([]);
    expect(server.heard.filter(({ method }) => method === "notifications/stray")).toEqual([]);
    expect(server.stderr).toContain("a stray line of text");
    expect(server.stderr).toContain("notifications/stray");
  });
});

describe("a server whose standard error nobody reads any more", () => {
  it("answers a call that it warns about, and ends with its input", async () => {
    const server = await startLegacy([...FILESYSTEM, import.meta.dirname], "2025-11-25", { roots: {} });
    server.child.stderr.destroy();
    const answered = server.request("tools/call", { name: "list_allowed_directories" });
    const { id } = await server.hear(({ method }) => method === "roots/list");
    server.say({ jsonrpc: "2.0", id, result: { roots: [{ uri: "http://x" }] } });
    expect(await answered).toHaveProperty("result");
    expect(await server.request("ping")).toHaveProperty("result");
    expect(await server.leave()).toEqual(CLEAN);
  });

  it("outlives what a tool prints", async () => {
    const server = await startLegacy(EVERYTHING);
    server.child.stderr.destroy();
    for (let round = 0; round < 2; round += 1) {
      expect(await server.request("tools/call", { name: "chatty" })).toHaveProperty("result");
    }
    expect(await server.leave()).toEqual(CLEAN);
  });

  itOnUnix("ends well over HTTP", async () => {
    const server = startServer([...NOTES, "--http", "0", "--log-level", "debug"]);
    await expect.poll(() => server.stderr, { timeout: DEADLINE_MS }).toContain("listening on");
    server.child.stderr.destroy();
    // Of which it would tell.
    server.child.kill("SIGTERM");
    expect(await server.ended).toEqual(CLEAN);
  });
});
