import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { defineTool } from "../../../src/features/tool.ts";
import { createFetchHandler } from "../../../src/serve-http.ts";
import { createServer } from "../../../src/server.ts";
import { FairMemory } from "../../../src/connection/fair-memory.ts";
import { ResumableStream } from "../../../src/transport/http/resumable-stream.ts";
import { PostedSession } from "./posting.ts";

const MIB = 1024 * 1024;
const messageOf = (size: number): { jsonrpc: "2.0"; id: number; result: { text: string } } => ({
  jsonrpc: "2.0",
  id: 1,
  result: { text: "x".repeat(size) },
});

function reattach(stream: ResumableStream): string[] {
  const written: string[] = [];
  stream.attach({ write: (text) => written.push(text) > 0, unread: 0, end: () => undefined }, 0, false);
  return written;
}

describe("what a stream keeps", () => {
  it("is the latest event at least, however long it is", () => {
    const stream = new ResumableStream("1", {
      memory: new FairMemory(64 * 1024 * 1024),
      principal: undefined,
    });
    stream.send(messageOf(1));
    stream.send(messageOf(9 * MIB));
    const written = reattach(stream);
    expect(written).toHaveLength(1);
    expect(written[0]?.length).toBeGreaterThan(9 * MIB);
    stream.send(messageOf(1));
    expect(reattach(stream)).toHaveLength(1);
    expect(stream.characters).toBeLessThan(1000);
  });
});

describe("what a server keeps", () => {
  it("goes at the cost of whoever has most of it", () => {
    const memory = new FairMemory(64 * 1024 * 1024);
    const [alice, mallory] = ["alice", "mallory"].map((principal) =>
      Array.from({ length: 20 }, (_, index) => new ResumableStream(String(index), { memory, principal })),
    );
    for (const stream of alice ?? []) stream.send(messageOf(MIB));
    for (const stream of mallory ?? []) stream.send(messageOf(5 * MIB));
    const kept = (streams: readonly ResumableStream[] = []): readonly boolean[] =>
      streams.map(({ characters }) => characters > 0);
    expect(kept(alice)).toEqual(Array(20).fill(true));
    expect(kept(mallory)).toEqual([...Array<boolean>(12).fill(false), ...Array<boolean>(8).fill(true)]);
  });

  it("leaves room once it is forgotten", () => {
    const memory = new FairMemory(64 * 1024 * 1024);
    const keeping = { memory, principal: undefined };
    const [first, second] = [new ResumableStream("1", keeping), new ResumableStream("2", keeping)];
    for (let round = 0; round < 100; round += 1) {
      second.send(messageOf(7 * MIB));
      second.forgetAll();
    }
    first.send(messageOf(7 * MIB));
    expect([first, second].map(({ characters }) => characters > 0)).toEqual([true, false]);
  });
});

const talkative = defineTool({
  name: "talkative",
  description: "Says something before a long answer.",
  input: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
  run: ({ size }, { log }) => {
    log.error("first");
    return "x".repeat(size);
  },
});

/** Events carry the id of their stream. */
const streamOf = (events: string): string => /id: (\d+)\./.exec(events)?.[1] ?? "";

describe("what a session keeps", () => {
  it("has a limit: the oldest streams that have ended are forgotten", async () => {
    const server = createServer({ name: "t", version: "1", state: {}, tools: [talkative] });
    const handle = createFetchHandler(server);
    const session = await PostedSession.open((init) => handle(new Request("http://localhost/mcp", init)));
    const streams: string[] = [];
    for (const size of [7 * MIB, 7 * MIB, 7 * MIB, 40 * MIB]) {
      const response = await session.request("tools/call", { name: "talkative", arguments: { size } });
      streams.push(streamOf(await response.text()));
      const found = await Promise.all(streams.map((id) => session.resume(`${id}.0`)));
      const statuses = found.map(({ status }) => status);
      for (const { body } of found) await body?.cancel();
      expect(statuses).toEqual(
        [[200], [200, 200], [400, 200, 200], [400, 400, 400, 200]][streams.length - 1],
      );
    }
  });
});

describe("what was delivered", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is forgotten soon after", async () => {
    const server = createServer({ name: "t", version: "1", state: {}, tools: [talkative] });
    const handle = createFetchHandler(server);
    const session = await PostedSession.open((init) => handle(new Request("http://localhost/mcp", init)));
    const statusOf = async (): Promise<number> => {
      const { status, body } = await session.resume("1.0");
      await body?.cancel();
      return status;
    };
    const response = await session.request("tools/call", { name: "talkative", arguments: { size: 1 } });
    expect(streamOf(await response.text())).toBe("1");
    expect(await statusOf()).toBe(200);
    vi.advanceTimersByTime(60_000);
    expect(await statusOf()).toBe(400);
  });
});
