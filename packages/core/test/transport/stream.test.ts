import { Duplex, PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StreamTransport, type StreamTransportOptions } from "../../src/transport/stream.ts";

const MEGABYTE = 1024 * 1024;
const turn = (ms = 5): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A transport that answers every message with `answer`, the streams at its two ends, and what it heard. */
function openEcho(
  answer: object,
  options: StreamTransportOptions = {},
): {
  transport: StreamTransport;
  input: PassThrough;
  output: PassThrough;
  heard: unknown[];
  closings: () => number;
} {
  const input = new PassThrough();
  const output = new PassThrough();
  const heard: unknown[] = [];
  let closings = 0;
  const transport = new StreamTransport(input, output, options);
  transport.start({
    message: (value) => {
      heard.push(value);
      transport.send({ jsonrpc: "2.0", id: heard.length, result: { ...answer } });
    },
    unreadable: (error) => heard.push(error.code),
    closed: () => (closings += 1),
  });
  return { transport, input, output, heard, closings: () => closings };
}

describe("StreamTransport", () => {
  it("reads and writes lines", async () => {
    const { input, output, heard } = openEcho({ ok: true });
    input.write('{"a":1}\nbroken\n{"b"');
    input.write(":2}\n");
    await turn();
    expect(heard).toEqual([{ a: 1 }, -32700, { b: 2 }]);
    expect(String(output.read())).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"ok":true}}\n{"jsonrpc":"2.0","id":3,"result":{"ok":true}}\n',
    );
  });

  it("says once that the peer is gone, after its last line", async () => {
    const { input, heard, closings } = openEcho({});
    input.end('{"last":"without a newline"}');
    await turn();
    expect(heard).toEqual([{ last: "without a newline" }]);
    expect(closings()).toBe(1);
  });

  it.each(["end", "destroy", "error"])("says once that the peer is gone: %s", async (way) => {
    const { input, closings } = openEcho({});
    if (way === "end") input.end();
    else input.destroy(way === "error" ? new Error("ECONNRESET") : undefined);
    await turn();
    expect(closings()).toBe(1);
  });

  it("reads nothing after close, and close waits for what was sent", async () => {
    const { transport, input, output, heard } = openEcho({});
    transport.send({ jsonrpc: "2.0", method: "last" });
    await transport.close();
    input.write('{"too":"late"}\n');
    await turn();
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","method":"last"}\n');
    expect(heard).toEqual([]);
  });

  it("refuses what is larger than it was told to read", async () => {
    const { input, heard } = openEcho({}, { largestMessage: 10 });
    input.write(`"${"x".repeat(20)}"\n1\n`);
    await turn();
    expect(heard).toEqual([-32600, 1]);
  });
});

describe("a peer that does not read its answers", () => {
  it("is not read from either, until it does", async () => {
    // One message a chunk, and one megabyte per answer: without a brake all 64 would be answered at once.
    const { input, output, heard } = openEcho({ text: "x".repeat(MEGABYTE) });
    for (let id = 1; id <= 64; id += 1) {
      input.write(`{"id":${id}}\n`);
      await turn(1);
    }
    await turn(50);
    const before = heard.length;
    expect(before).toBeGreaterThanOrEqual(4);
    expect(before).toBeLessThan(16);
    expect(input.isPaused()).toBe(true);
    let bytes = 0;
    output.on("data", (chunk: Buffer) => (bytes += chunk.length));
    while (heard.length < 64) await turn();
    await turn(50);
    expect(bytes).toBeGreaterThan(64 * MEGABYTE);
    expect(input.isPaused()).toBe(false);
  });

  it("does not keep the transport waiting once it is gone", async () => {
    const output = new Duplex({ read: () => undefined, write: () => undefined });
    const input = new PassThrough();
    const transport = new StreamTransport(input, output);
    transport.send({ jsonrpc: "2.0", method: "x" });
    const closing = transport.close();
    await turn();
    output.destroy(new Error("EPIPE"));
    await expect(closing).resolves.toBeUndefined();
  });

  it.each(["stops sending", "is gone"])("is heard once if it %s", async (way) => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { input, output, heard } = openEcho({ text: "x".repeat(MEGABYTE) }, { endsWithOutput: true });
    let sent = 0;
    while (heard.length === sent) {
      input.write(`{"id":${++sent}}\n`);
      await turn();
    }
    // The last one is read, to see whether there is more, and held.
    vi.advanceTimersByTime(1000);
    await turn();
    expect(heard).toHaveLength(sent - 1);
    if (way === "is gone") output.destroy();
    else {
      input.end();
      vi.advanceTimersByTime(1000);
    }
    await turn();
    expect(heard).toHaveLength(sent);
    output.resume();
    await turn(50);
    expect(heard).toEqual(Array.from({ length: sent }, (_, at) => ({ id: at + 1 })));
  });

  it("is not heard any more once it is gone, whatever it still sends", async () => {
    const { input, output, heard } = openEcho({}, { endsWithOutput: true });
    output.destroy();
    await turn();
    input.write('{"id":1}\n');
    await turn();
    expect(heard).toEqual([]);
  });
});
