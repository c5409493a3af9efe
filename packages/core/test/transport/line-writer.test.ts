import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { LineWriter } from "../../src/transport/line-writer.ts";

const ping = (id: number): { jsonrpc: "2.0"; id: number; method: string } => ({
  jsonrpc: "2.0",
  id,
  method: "ping",
});
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** A stream that counts its writes and finishes them only when told. */
function openSlow(): { stream: Writable; chunks: string[]; release: () => void } {
  const chunks: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      waiting.push(done);
    },
  });
  return { stream, chunks, release: () => waiting.splice(0).forEach((done) => done()) };
}

describe("messages of one turn", () => {
  it("leave in one write, a line each, in order", async () => {
    const { stream, chunks, release } = openSlow();
    const writer = new LineWriter(stream);
    for (let id = 1; id <= 100; id += 1) writer.send(ping(id));
    expect(chunks).toEqual([]);
    await turn();
    expect(chunks).toHaveLength(1);
    const lines = chunks.join("").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(
      lines.map((_, at) => at + 1),
    );
    release();
  });

  it("leave in a write per turn", async () => {
    const { stream, chunks, release } = openSlow();
    const writer = new LineWriter(stream);
    for (const id of [1, 2]) {
      writer.send(ping(id));
      await turn();
      release();
    }
    expect(chunks).toHaveLength(2);
  });

  it("leave before the turn is over when there is much of them", () => {
    const { stream, chunks } = openSlow();
    const writer = new LineWriter(stream);
    writer.send({ jsonrpc: "2.0", method: "x", params: { text: "x".repeat(100_000) } });
    expect(chunks).toHaveLength(1);
  });

  it("may be a batch, which is one line", async () => {
    const { stream, chunks } = openSlow();
    new LineWriter(stream).send([ping(1), ping(2)]);
    await turn();
    expect(chunks).toEqual([`${JSON.stringify([ping(1), ping(2)])}\n`]);
  });

  it("go through another write function where one is given", async () => {
    const written: unknown[] = [];
    const stream = new PassThrough();
    const write = ((text: string, done?: () => void) => (
      written.push(text),
      done?.(),
      true
    )) as Writable["write"];
    new LineWriter(stream, write).send(ping(1));
    await turn();
    expect(written).toEqual([`${JSON.stringify(ping(1))}\n`]);
    expect(stream.read()).toBeNull();
  });
});

describe("drained", () => {
  it("waits until everything was taken", async () => {
    const { stream, release } = openSlow();
    const writer = new LineWriter(stream);
    writer.send(ping(1));
    let isDrained = false;
    const drained = writer.drained().then(() => (isDrained = true));
    await turn();
    expect(isDrained).toBe(false);
    release();
    await drained;
    expect(isDrained).toBe(true);
  });

  it("resolves at once when nothing waits", async () => {
    await expect(new LineWriter(new PassThrough()).drained()).resolves.toBeUndefined();
  });

  it("resolves when the stream breaks instead", async () => {
    const { stream } = openSlow();
    const writer = new LineWriter(stream);
    writer.send(ping(1));
    const drained = writer.drained();
    stream.destroy(new Error("gone"));
    await expect(drained).resolves.toBeUndefined();
  });
});

describe("a reader that is gone", () => {
  async function openSockets(): Promise<[near: Socket, far: Socket]> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const near = connect((server.address() as { port: number }).port, "127.0.0.1");
    const [far] = (await once(server, "connection")) as [Socket];
    server.close();
    return [near, far];
  }

  it("never makes send throw, whatever the stream says", async () => {
    const [near, far] = await openSockets();
    const writer = new LineWriter(near);
    far.resetAndDestroy();
    for (let id = 0; id < 50; id += 1) {
      writer.send({ jsonrpc: "2.0", id, method: "x", params: { text: "x".repeat(70_000) } });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writer.drained();
    expect(near.destroyed).toBe(true);
    expect(writer.isCongested).toBe(false);
  });

  it("is nobody to gather text for", async () => {
    const { stream, chunks } = openSlow();
    const writer = new LineWriter(stream);
    stream.destroy();
    await turn();
    writer.send(ping(1));
    await writer.drained();
    expect(chunks).toEqual([]);
  });
});
