import { describe, expect, it } from "vitest";

import { MemoryStore } from "../src/memory-store.ts";
import type { StoredEntry, Store } from "../src/store.ts";
import { Events, Moving, type One, startReplica, URIS } from "./replicas.ts";

const OPERATIONS = [
  "get",
  "set",
  "delete",
  "setFields",
  "deleteField",
  "fields",
  "renew",
  "append",
  "read",
  "last",
  "take",
] as const;

/** A replica's way to the store, on which it hears of everything a while later, or never. */
function hearingLate(store: MemoryStore, delayMs: number): Store {
  const late = Object.create(store) as Store;
  for (const name of OPERATIONS) Object.assign(late, { [name]: store[name].bind(store) });
  late.follow = (log: string, after: number, listener: (entry: StoredEntry) => void) =>
    store.follow(log, after, (entry) => void setTimeout(() => listener(entry), delayMs));
  return late;
}

describe("the end of a session", () => {
  it("is not acknowledged before every replica that continued it has let go", async () => {
    const store = new MemoryStore();
    const [one, slow] = [startReplica(store), startReplica(hearingLate(store, 100))];
    const client = await Moving.open(one);
    await client.call(slow, "plain");
    expect((await client.delete(one)).status).toBe(204);
    expect((await client.call(slow, "plain")).status).toBe(404);
    expect((await client.delete(one)).status).toBe(404);
  });

  it("does not wait for ever for a replica that says nothing", async () => {
    const store = new MemoryStore();
    const [one, deaf] = [startReplica(store), startReplica(hearingLate(store, 60_000))];
    const client = await Moving.open(one);
    await client.call(deaf, "plain");
    expect((await client.delete(one)).status).toBe(204);
  });

  it("needs no room at the replica that is asked for it", async () => {
    const store = new MemoryStore();
    const [one, other] = [startReplica(store, [], { sessions: 1 }), startReplica(store, [], { sessions: 1 })];
    const client = await Moving.open(one);
    const busy = await Moving.open(other);
    await busy.listen(other);
    expect((await client.call(other, "plain")).status).toBe(503);
    expect((await client.as("mallory").delete(other)).status).toBe(404);
    expect((await client.delete(other)).status).toBe(204);
    expect((await client.call(one, "plain")).status).toBe(404);
  });

  it("reaches one that is just being looked up", async () => {
    const store = new MemoryStore();
    const slow = hearingLate(store, 0);
    const held: (() => void)[] = [];
    slow.setFields = async (...args) => {
      const outcome = store.setFields(...args);
      await new Promise<void>((resolve) => void held.push(resolve));
      return outcome;
    };
    const [one, other] = [startReplica(store), startReplica(slow)];
    const client = await Moving.open(one);
    const call = client.call(other, "plain");
    await expect.poll(() => held.length).toBe(1);
    expect((await client.delete(one)).status).toBe(204);
    held[0]?.();
    expect((await call).status).toBe(404);
    expect((await client.call(other, "plain")).status).toBe(404);
  });
});

describe("a session that is continued while it ends", () => {
  it("leaves no stream open that was just being opened", async () => {
    const store = new MemoryStore();
    const slow = hearingLate(store, 0);
    const held: (() => void)[] = [];
    slow.append = async (...args) => {
      if (args[1].includes("isListening")) await new Promise<void>((resolve) => void held.push(resolve));
      return store.append(...args);
    };
    const [one, other] = [startReplica(store), startReplica(slow)];
    const client = await Moving.open(one);
    const listening = client.listen(other);
    await expect.poll(() => held.length).toBe(1);
    expect((await client.delete(one)).status).toBe(204);
    held[0]?.();
    const stream = await listening;
    await expect.poll(() => stream.ended).toBe(true);
  });

  it("is over wherever that is, the replica that ends it included", async () => {
    const store = new MemoryStore();
    const asked = hearingLate(store, 0);
    const held: (() => void)[] = [];
    asked.fields = async (...args) => {
      const fields = store.fields(...args);
      if (held.length === 0) await new Promise<void>((resolve) => void held.push(resolve));
      return fields;
    };
    const [one, other, slow] = [asked, store, hearingLate(store, 100)].map((view) => startReplica(view));
    if (!one || !other || !slow) throw new Error("Three were started");
    const client = await Moving.open(other);
    const ending = client.delete(one);
    await expect.poll(() => held.length).toBe(1);
    for (const replica of [one, slow]) expect((await client.call(replica, "plain")).status).toBe(200);
    held[0]?.();
    expect((await ending).status).toBe(204);
    for (const replica of [one, other, slow]) expect((await client.call(replica, "plain")).status).toBe(404);
  });

  it("is over when any of two who end it is told so", async () => {
    const store = new MemoryStore();
    const [one, slow] = [startReplica(store), startReplica(hearingLate(store, 100))];
    const client = await Moving.open(one);
    await client.call(slow, "plain");
    const end = async (): Promise<readonly number[]> => {
      const { status } = await client.delete(one);
      return [status, (await client.call(slow, "plain")).status];
    };
    expect(await Promise.all([end(), end()])).toEqual([
      [204, 404],
      [204, 404],
    ]);
  });
});

describe("a caller who has had their share of sessions", () => {
  it("gives up one that counts for a new one", async () => {
    const store = new MemoryStore();
    const start = (): ReturnType<typeof startReplica> => startReplica(store, [], { sessions: 2 });
    const [one, other] = [start(), start()];
    const moved = await Moving.open(other);
    const told = (): string =>
      store
        .read("usage", 0)
        .map(({ text }) => text)
        .join("");
    await expect.poll(told).toContain('"sessions":{"alice":1}');
    const begun = await Moving.open(one);
    await moved.call(one, "plain");
    await begun.call(one, "plain");
    expect((await Moving.open(one)).status).toBe(200);
  });
});

describe("a session that the store has lost", () => {
  /** Its record alone is lost: nothing tells the replica. */
  async function openLost(): Promise<readonly [Moving, One, string | undefined]> {
    const store = new MemoryStore();
    const one = startReplica(store);
    const client = await Moving.open(one);
    const stream = new Events(await client.call(one, "slow"));
    await expect.poll(() => stream.messages.length).toBe(1);
    store.delete(`sessions:${client.id}`);
    return [client, one, stream.lastId];
  }

  it.each([
    ["without an event", () => undefined],
    ["after a standalone event", () => "0.0"],
    ["after an event of a call", (lastId: string | undefined) => lastId],
  ])("is gone for a client that listens %s", async (_what, toEventId) => {
    const [client, one, lastId] = await openLost();
    expect((await client.listen(one, toEventId(lastId))).status).toBe(404);
    expect((await client.request(one, "ping")).status).toBe(404);
  });

  it("is gone for a client that subscribes", async () => {
    const [client, one] = await openLost();
    const refused = await client.request(one, "resources/subscribe", { uri: URIS[0] }, 2);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining("There is no such session") as string },
    });
    expect((await client.request(one, "ping")).status).toBe(404);
  });
});
