import { describe, expect, it } from "vitest";

import { Replica } from "../../../src/connection/replica.ts";
import { MemoryStore } from "../../../src/store/memory-store.ts";
import { type LogLimits, StoreUnavailable } from "../../../src/store/store.ts";
import { EventMemory } from "../../../src/transport/http/event-memory.ts";
import type { HttpStream } from "../../../src/transport/http/exchange.ts";
import { StoredStreams } from "../../../src/transport/http/stored-stream.ts";

const MIB = "x".repeat(1024 * 1024);

/** A connection, and what came over it. */
function connect(): HttpStream & { readonly heard: string[]; isEnded: boolean } {
  const heard: string[] = [];
  return {
    heard,
    isEnded: false,
    write: (text) => heard.push(text) > 0,
    unread: 0,
    end() {
      this.isEnded = true;
    },
  };
}

class Streams {
  readonly #streams: StoredStreams;

  constructor(store: MemoryStore, memory: EventMemory, principal = "alice") {
    this.#streams = new StoredStreams(new Replica(store), `of-${principal}`, { memory, principal });
  }

  /** Sends messages of so many MiB, and gives the id of the stream once all is stored. */
  async fill(...sizes: readonly number[]): Promise<string> {
    const connection = connect();
    await new Promise<void>((onFinished) => {
      const stream = this.#streams.open([1], connection, { isPrimed: true, onFinished });
      for (const size of sizes) stream.send({ jsonrpc: "2.0", id: 1, result: { text: MIB.repeat(size) } });
      stream.finish();
    });
    return /^id: (\w+)\.0$/m.exec(connection.heard.join(""))?.[1] ?? "";
  }

  knows(id: string): Promise<boolean> {
    return this.#streams.knows(id, 0);
  }

  /** The sizes of what a client that comes back is told, in MiB. */
  fetch(id: string): readonly number[] {
    const connection = connect();
    this.#streams.follow(id, 0, connection)();
    if (!connection.isEnded) throw new Error("The stream did not end");
    return connection.heard.map((text) => Math.floor(text.length / MIB.length));
  }
}

/** Stores the first entry without saying so, and loses the second. */
class FailingStore extends MemoryStore {
  #attempts = 0;

  override append(name: string, text: string, limits: LogLimits): number {
    this.#attempts += 1;
    if (this.#attempts === 1) super.append(name, text, limits);
    if (this.#attempts <= 2) throw new StoreUnavailable(new Error("cut off"));
    return super.append(name, text, limits);
  }
}

class AwayStore extends MemoryStore {
  attempts = 0;

  override append(): number {
    this.attempts += 1;
    throw new StoreUnavailable(new Error("away"));
  }
}

it("goes out without waiting for a store of which another stream knows that it is away", async () => {
  const store = new AwayStore(true);
  const streams = new StoredStreams(new Replica(store), "s", {
    memory: new EventMemory(),
    principal: "alice",
  });
  const attemptsOf = async (): Promise<number> => {
    const connection = connect();
    const before = store.attempts;
    const stream = streams.open([1], connection, { isPrimed: false, onFinished: () => undefined });
    stream.send({ jsonrpc: "2.0", method: "notifications/message" });
    await expect.poll(() => connection.heard.length).toBe(1);
    return store.attempts - before;
  };
  expect(await attemptsOf()).toBeGreaterThan(1);
  expect(await attemptsOf()).toBe(1);
});

describe("what the store keeps of streams", () => {
  it("is each message once, also of those that say the same", async () => {
    const streams = new Streams(new FailingStore(true), new EventMemory());
    expect(streams.fetch(await streams.fill(1, 1))).toEqual([1, 1]);
  });

  it("has a limit for each, and the answer stays however large it is", async () => {
    const streams = new Streams(new MemoryStore(true), new EventMemory());
    expect(streams.fetch(await streams.fill(3, 3, 3, 1))).toEqual([3, 3, 1]);
    expect(streams.fetch(await streams.fill(1, 9))).toEqual([9]);
  });

  it("has a limit for all together, and whoever has most gives up the oldest", async () => {
    const [store, memory] = [new MemoryStore(true), new EventMemory()];
    const [alice, mallory] = [new Streams(store, memory), new Streams(store, memory, "mallory")];
    const kept = await alice.fill(7);
    const taken: string[] = [];
    for (let count = 0; count < 9; count += 1) taken.push(await mallory.fill(7));
    expect(await alice.knows(kept)).toBe(true);
    expect(alice.fetch(kept)).toEqual([7]);
    expect(await Promise.all(taken.map((id) => mallory.knows(id)))).toEqual([
      false,
      ...Array.from({ length: 8 }, () => true),
    ]);
  });
});
