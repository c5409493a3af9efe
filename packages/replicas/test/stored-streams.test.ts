import { describe, expect, it, onTestFinished, vi } from "vitest";

import { Replica } from "../src/replica.ts";
import { type JSONRPCMessage, StoreUnavailable } from "@suite/core";
import { MemoryStore } from "../src/memory-store.ts";
import type { LogLimits, SetConditions } from "../src/store.ts";
import { FairMemory, type HttpStream } from "@suite/core/replicas";
import { StoredStreams } from "../src/stored-streams.ts";

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

  constructor(store: MemoryStore, memory: FairMemory, principal = "alice", replica = new Replica(store)) {
    this.#streams = new StoredStreams(replica, `of-${principal}`, { memory, principal });
  }

  /** Sends messages of so many MiB, and gives the id of the stream once all is stored. */
  async fill(...sizes: readonly number[]): Promise<string> {
    const connection = connect();
    await new Promise<void>((onFinished) => {
      const stream = this.#streams.open([1], connection, { isPrimed: true, onFinished });
      for (const size of sizes) stream.send({ jsonrpc: "2.0", id: 1, result: { text: MIB.repeat(size) } });
      stream.finish();
    });
    return idIn(connection);
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
  isAway = true;
  /** By key. */
  readonly attempts = new Map<string, number>();

  override set(key: string, value: string, conditions: SetConditions): boolean {
    this.#reach(key);
    return super.set(key, value, conditions);
  }

  override append(name: string, text: string, limits: LogLimits): number {
    this.#reach(name);
    return super.append(name, text, limits);
  }

  #reach(key: string): void {
    this.attempts.set(key, (this.attempts.get(key) ?? 0) + 1);
    if (this.isAway) throw new StoreUnavailable(new Error("away"));
  }
}

const toNote = (data: number): JSONRPCMessage => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { data },
});

const idIn = ({ heard }: { readonly heard: readonly string[] }): string =>
  /^id: (\w+)\.0$/m.exec(heard.join(""))?.[1] ?? "";

const numbersIn = ({ heard }: { readonly heard: readonly string[] }): readonly number[] =>
  [...heard.join("").matchAll(/"data":(\d+)/g)].map(([, number]) => Number(number));

describe("while the store is away", () => {
  const principal = "alice";
  const open = (store: MemoryStore): StoredStreams =>
    new StoredStreams(new Replica(store), "s", { memory: new FairMemory(64 * 1024 * 1024), principal });

  it("only the first event of all streams waits for it", async () => {
    const store = new AwayStore();
    const streams = open(store);
    /** Until its event is written. */
    const attemptsOf = (): Promise<number> =>
      new Promise((resolve) => {
        const write = (): boolean => {
          resolve([...store.attempts.values()].at(-1) ?? 0);
          return true;
        };
        const connection = { ...connect(), write };
        const stream = streams.open([1], connection, { isPrimed: false, onFinished: () => undefined });
        stream.send(toNote(1));
      });
    expect(await attemptsOf()).toBeGreaterThan(1);
    expect(await attemptsOf()).toBe(1);
  });

  it("events have their ids, and a client that comes back hears what it has not, once the store is back", async () => {
    const store = new AwayStore();
    store.isAway = false;
    const [owner, other] = [open(store), open(store)];
    const direct = connect();
    const stream = owner.open([1], direct, { isPrimed: true, onFinished: () => undefined });
    await expect.poll(() => direct.heard.length).toBe(1);
    store.isAway = true;
    for (const number of [1, 2, 3, 4]) stream.send(toNote(number));
    await expect.poll(() => numbersIn(direct)).toEqual([1, 2, 3, 4]);
    const [, id = "", last = ""] = /^id: (\w+)\.(2)$/m.exec(direct.heard.join("")) ?? [];
    expect(await other.knows(id, Number(last))).toBe(true);
    const resumed = connect();
    const stop = other.follow(id, Number(last), resumed);
    store.isAway = false;
    stream.send(toNote(5));
    stream.finish();
    await expect.poll(() => resumed.isEnded).toBe(true);
    expect(numbersIn(resumed)).toEqual([3, 4, 5]);
    stop();
    expect(await other.knows(id, 5)).toBe(true);
    expect(await other.knows(id, 6)).toBe(false);
  });

  it("events that could not be kept cost a client that comes back none of those that could", async () => {
    const store = new AwayStore();
    store.isAway = false;
    const [owner, other] = [open(store), open(store)];
    const direct = connect();
    const finished = vi.fn<() => void>();
    const stream = owner.open([1], direct, { isPrimed: true, onFinished: finished });
    await expect.poll(() => direct.heard.length).toBe(1);
    store.isAway = true;
    const large = {
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { text: MIB.repeat(9) },
    } as const;
    for (const message of [large, large]) stream.send(message);
    await expect.poll(() => direct.heard.length).toBe(3);
    store.isAway = false;
    stream.send(toNote(3));
    stream.finish();
    await expect.poll(() => finished.mock.calls.length).toBe(1);
    // The event has number 3, and is the first in the log.
    expect(await other.knows(idIn(direct), 3)).toBe(true);
    const resumed = connect();
    other.follow(idIn(direct), 2, resumed)();
    expect([numbersIn(resumed), resumed.isEnded]).toEqual([[3], true]);
  });

  it("for too long, whoever comes back for the answer is told that it is lost", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = new AwayStore();
    store.isAway = false;
    const replica = new Replica(store);
    onTestFinished(() => replica.close());
    const owner = new StoredStreams(replica, "s", { memory: new FairMemory(64 * 1024 * 1024), principal });
    const direct = connect();
    const finished = vi.fn<() => void>();
    const stream = owner.open([7], direct, { isPrimed: true, onFinished: finished });
    await vi.advanceTimersByTimeAsync(1);
    store.isAway = true;
    stream.send({ jsonrpc: "2.0", id: 7, result: {} });
    stream.finish();
    await vi.advanceTimersByTimeAsync(120_000);
    // Nobody here has to wait for it.
    expect(finished).toHaveBeenCalledOnce();
    const resumed = connect();
    const other = open(store);
    const stop = other.follow(idIn(direct), 0, resumed);
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(10_000);
    stop();
    expect([resumed.heard.length, resumed.isEnded]).toEqual([1, true]);
    expect(resumed.heard[0]).toMatch(/"id":7,"error":.*answer is lost/);
    expect(await Promise.all([1, 2].map((number) => other.knows(idIn(direct), number)))).toEqual([
      true,
      false,
    ]);
    // Whoever has heard the answer hears nothing else.
    const satisfied = connect();
    other.follow(idIn(direct), 1, satisfied)();
    expect([satisfied.heard, satisfied.isEnded]).toEqual([[], true]);
  });

  it("a stream whose owner has gone is ended all the same, once the store is back", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = new FailingStore();
    const direct = connect();
    const replica = new Replica(store);
    const owner = new StoredStreams(replica, "s", { memory: new FairMemory(64 * 1024 * 1024), principal });
    owner.open([1], direct, { isPrimed: true, onFinished: () => undefined });
    await vi.advanceTimersByTimeAsync(1);
    await replica.close();
    const resumed = connect();
    const stop = open(store).follow(idIn(direct), 0, resumed);
    await vi.advanceTimersByTimeAsync(60_000);
    stop();
    expect(resumed.heard[0]).toContain("does not answer");
    expect(resumed.isEnded).toBe(true);
  });

  it("a stream is still known that its owner has ended after others had", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = new MemoryStore();
    const direct = connect();
    const stream = open(store).open([1], direct, { isPrimed: true, onFinished: () => undefined });
    stream.send(toNote(1));
    const others = open(store);
    await vi.advanceTimersByTimeAsync(1);
    const stop = others.follow(idIn(direct), 1, connect());
    await vi.advanceTimersByTimeAsync(60_000);
    stop();
    stream.finish();
    await vi.advanceTimersByTimeAsync(1000);
    expect(direct.isEnded).toBe(true);
    expect(await others.knows(idIn(direct), 1)).toBe(true);
  });
});

describe("what the store keeps of streams", () => {
  it("is each message once, also of those that say the same", async () => {
    const streams = new Streams(new FailingStore(), new FairMemory(64 * 1024 * 1024));
    expect(streams.fetch(await streams.fill(1, 1))).toEqual([1, 1]);
  });

  it("is of no other stream, also where their session was let go in between", async () => {
    const [store, memory] = [new MemoryStore(), new FairMemory(64 * 1024 * 1024)];
    const replica = new Replica(store);
    const [before, after] = [1, 2].map(() => new Streams(store, memory, "alice", replica));
    const old = await before?.fill(3);
    expect(after?.fetch((await after.fill(1)) ?? "")).toEqual([1]);
    expect(after?.fetch(old ?? "")).toEqual([3]);
  });

  it("has a limit for each, and the answer stays however large it is", async () => {
    const streams = new Streams(new MemoryStore(), new FairMemory(64 * 1024 * 1024));
    expect(streams.fetch(await streams.fill(3, 3, 3, 1))).toEqual([3, 3, 1]);
    expect(streams.fetch(await streams.fill(1, 9))).toEqual([9]);
  });

  it("has a limit for all together, and whoever has most gives up the oldest", async () => {
    const [store, memory] = [new MemoryStore(), new FairMemory(64 * 1024 * 1024)];
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
