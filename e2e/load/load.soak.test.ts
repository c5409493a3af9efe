import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "@suite/check/wires";
import { afterEach, describe, expect, it } from "vitest";

import { inSoak } from "../support/soak.ts";
import { HttpPeer, type OpenStream } from "./http-peer.ts";
import { inBatches } from "./in-batches.ts";
import { itOnUnix } from "../support/programs.ts";

const SERVER = fileURLToPath(new URL("../dist/load/server.js", import.meta.url));
const SESSIONS = inSoak(500, 200);
const LISTENERS = inSoak(500, 200);
const CALLS = inSoak(2000, 800);

let child: ChildProcess | undefined;
let peer: HttpPeer | undefined;

async function start(): Promise<HttpPeer> {
  const started = spawn(process.execPath, ["--expose-gc", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  const [chunk] = (await once(started.stdout, "data", { signal: AbortSignal.timeout(PATIENCE_MS) })) as [
    Buffer,
  ];
  peer = new HttpPeer(Number(chunk.toString("utf8")));
  return peer;
}

afterEach(() => {
  peer?.close();
  child?.kill("SIGKILL");
});

/** Opens everything, calls while it is open and drops a stream at random now and then, and in the end the rest. */
async function burden(client: HttpPeer): Promise<void> {
  const sessions: string[] = [];
  const streams: OpenStream[] = [];
  await inBatches(SESSIONS, async () => {
    const session = await client.openSession();
    sessions.push(session);
    streams.push(await client.openSessionStream(session));
  });
  await inBatches(LISTENERS, async () => void streams.push(await client.listen()));
  const reader = await client.stream("tools/call", { name: "chatter", arguments: {} }, LOG_EVERYTHING);
  reader.response.pause();
  await inBatches(CALLS, async (index) => {
    const session = index % 2 === 0 ? sessions[index % sessions.length] : undefined;
    const text = `call ${index}`;
    expect(await client.call("echo", { text }, session)).toBe(text);
    if (index % 20 === 0) streams.splice(Math.floor(Math.random() * streams.length), 1)[0]?.close();
  });
  reader.close();
  for (const stream of streams) stream.close();
  await inBatches(sessions.length, async (index) => client.endSession(sessions[index] ?? ""));
}

const LOG_EVERYTHING = { "io.modelcontextprotocol/logLevel": "debug" };

async function heapInUse(client: HttpPeer): Promise<number> {
  return Number(await client.call("memory", {}));
}

describe("under load", () => {
  it("gives back what hundreds of sessions, listeners, calls and a reader that does not read have taken", async () => {
    const client = await start();
    // Once to warm up: code that has run for the first time stays in memory too.
    await burden(client);
    const before = await heapInUse(client);
    await burden(client);
    // Streams that were hung up are noticed a moment later.
    await expect.poll(async () => (await heapInUse(client)) / before).toBeLessThan(1.1);
  });

  itOnUnix(
    "on SIGTERM answers what it has begun to answer whole, and is gone as soon as it has",
    async () => {
      const client = await start();
      const listener = await client.listen();
      const ended = readToEnd(listener);
      const calls = Array.from({ length: 20 }, () => client.call("slow", {}));
      await expect.poll(() => client.call("slow_calls", {})).toBe("20");
      const exited = once(child as ChildProcess, "exit", { signal: AbortSignal.timeout(PATIENCE_MS) });
      child?.kill("SIGTERM");
      const answers = await Promise.all(calls);
      expect(answers).toEqual(Array.from({ length: 20 }, () => "whole ".repeat(20_000)));
      const [code] = (await exited) as [number | null];
      expect(code).toBe(0);
      expect(await ended).toContain('"resultType":"complete"');
    },
  );
});

async function readToEnd({ response }: OpenStream): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}
