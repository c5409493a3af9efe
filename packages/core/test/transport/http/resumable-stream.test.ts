import { describe, expect, it } from "vitest";

import { defineTool } from "../../../src/features/tool.ts";
import { createFetchHandler } from "../../../src/serve-http.ts";
import { createServer } from "../../../src/server.ts";
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
  stream.attach({ write: (text) => written.push(text) > 0, end: () => undefined }, 0, false);
  return written;
}

describe("what a stream keeps", () => {
  it("is the latest event at least, however long it is", () => {
    const stream = new ResumableStream("1");
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
