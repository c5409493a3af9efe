import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { callHttp, HttpWire, within } from "@suite/check/wires";
import { connectHttp } from "@suite/core/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { NOTES } from "../support/servers.ts";
import { HttpProgram, toBytes, toModernBytes } from "./http-program.ts";
import { visitV1, visitV2 } from "./official-clients.ts";
import { describeOnUnix, itOnUnix } from "../support/programs.ts";

/** However long a busy machine takes to send it, the last request comes in time. */
const WITH_STOPPED_CLOCK = [
  ...NOTES.slice(0, 1),
  "--import",
  "data:text/javascript,const now = Date.now(); Date.now = () => now;",
  ...NOTES.slice(1),
];

/** Starts the built program and waits for the URL that it prints. */
async function start(...args: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  const [file = "", ...program] = NOTES;
  const child = spawn(file, [...program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stderr);
  const search = async (): Promise<string> => {
    for await (const line of lines) {
      const url = /http:\/\/\S+/.exec(line)?.[0];
      if (url !== undefined) return url;
    }
    throw new Error("The program ended without a word");
  };
  return { child, url: await within(search(), "The program did not start") };
}

describe("the notes program behind HTTP", () => {
  it("serves clients of both eras, ours and others, at the address that it prints", async () => {
    const { url } = await start("--http", "0", "--sse", "--websocket");
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const visitors = [await visitV1(url, "2025-11-25"), await visitV2(url, "2026-07-28")];
    const client = await connectHttp(url);
    onTestFinished(() => client.close());
    const own = (await client.listTools()).map(({ name }) => name);
    expect(own.length).toBeGreaterThan(0);
    for (const visitor of visitors) {
      const { tools } = await visitor.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(own);
    }
    const stream = await callHttp(new URL("/sse", url).href, { headers: { accept: "text/event-stream" } });
    expect(stream.status).toBe(200);
  });

  itOnUnix("ends streams early enough for their connections to bring one more request", async () => {
    const program = await HttpProgram.start(["--grace", "60s"], WITH_STOPPED_CLOCK);
    onTestFinished(() => program.stop());
    const { url } = program;
    const { sessionId = "" } = await HttpWire.open(url.href, "2025-11-25");
    const kept = await program.dial();
    const headers = [["Accept", "text/event-stream"] as const, ["Mcp-Session-Id", sessionId] as const];
    kept.socket.write(toBytes(url, "GET", headers));
    await kept.hear("retry:");
    process.kill(program.pid, "SIGTERM");
    await kept.hear("\r\n0\r\n\r\n");
    kept.socket.write(toModernBytes(url, "tools/list", {}));
    await kept.hear('"tools":[');
    expect(kept.heard).toMatch(/connection: close/i);
  });

  describeOnUnix("when it is told to end", () => {
    it.each(["SIGTERM", "SIGINT"] as const)("ends on %s, whoever is still connected", async (signal) => {
      const { child, url } = await start("--http", "0");
      const client = await connectHttp(url);
      const watching = await client.watchList("tools", () => undefined);
      const legacy = await connectHttp(url, { revision: "2025-11-25" });
      const exited = once(child, "exit");
      child.kill(signal);
      const [code] = (await within(exited, "The program did not end")) as [number | null];
      expect(code).toBe(0);
      await within(watching.closed, "The stream did not end");
      await Promise.all([client.close(), legacy.close()]);
    });
  });

  it("does not listen where others could call, and says why", async () => {
    const [file = "", ...program] = NOTES;
    const child = spawn(file, [...program, "--http", "0.0.0.0:0"], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    const [code] = (await within(once(child, "close"), "The program did not end")) as [number | null];
    expect(code).not.toBe(0);
    expect(said).toMatch(/0\.0\.0\.0/);
  });
});
