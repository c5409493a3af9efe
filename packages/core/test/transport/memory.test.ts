import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/transport/transport.ts";
import { createMemoryPair } from "../../src/transport/memory.ts";

function listen(transport: Transport): { heard: unknown[]; closings: number[] } {
  const heard: unknown[] = [];
  const closings: number[] = [];
  transport.start({
    message: (value) => heard.push(value),
    unreadable: (error) => heard.push(error),
    closed: () => closings.push(heard.length),
  });
  return { heard, closings };
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
const ping = (id: number): { jsonrpc: "2.0"; id: number; method: string } => ({
  jsonrpc: "2.0",
  id,
  method: "ping",
});

describe("createMemoryPair", () => {
  it("carries messages both ways, in order, and in a later turn", async () => {
    const [left, right] = createMemoryPair();
    const [atLeft, atRight] = [listen(left), listen(right)];
    for (const id of [1, 2, 3]) left.send(ping(id));
    right.send([ping(4), ping(5)]);
    expect(atRight.heard).toEqual([]);
    await later();
    expect(atRight.heard).toEqual([ping(1), ping(2), ping(3)]);
    expect(atLeft.heard).toEqual([[ping(4), ping(5)]]);
  });

  it("carries what JSON can carry, and no reference to what was sent", async () => {
    const [left, right] = createMemoryPair();
    const { heard } = listen(right);
    const params = { kept: [1], lost: undefined, date: new Date(0) };
    left.send({ jsonrpc: "2.0", method: "x", params });
    params.kept.push(2);
    await later();
    expect(heard).toEqual([
      { jsonrpc: "2.0", method: "x", params: { kept: [1], date: "1970-01-01T00:00:00.000Z" } },
    ]);
    expect(() => left.send({ jsonrpc: "2.0", method: "x", params: { big: 1n } })).toThrow(TypeError);
  });

  it("keeps what is sent before the other end starts", async () => {
    const [left, right] = createMemoryPair();
    left.send(ping(1));
    left.send(ping(2));
    const { heard } = listen(right);
    left.send(ping(3));
    await later();
    expect(heard).toEqual([ping(1), ping(2), ping(3)]);
  });

  it("closes both ends once, after what was sent before, and carries nothing afterwards", async () => {
    const [left, right] = createMemoryPair();
    const [atLeft, atRight] = [listen(left), listen(right)];
    left.send(ping(1));
    await left.close();
    await right.close();
    left.send(ping(2));
    right.send(ping(3));
    await later();
    expect([atLeft.heard, atRight.heard]).toEqual([[], [ping(1)]]);
    expect([atLeft.closings, atRight.closings]).toEqual([[0], [1]]);
  });

  it("tells an end that starts late that the other has gone", async () => {
    const [left, right] = createMemoryPair();
    left.send(ping(1));
    await left.close();
    await later();
    const { heard, closings } = listen(right);
    await later();
    expect(heard).toEqual([ping(1)]);
    expect(closings).toEqual([1]);
  });
});
