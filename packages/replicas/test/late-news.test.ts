import { describe, expect, it } from "vitest";

import { MemoryStore } from "../src/memory-store.ts";
import { StoreLine } from "./store-line.ts";
import { Events, Moving, type One, startReplica, URIS } from "./replicas.ts";

interface Two {
  readonly store: MemoryStore;
  readonly one: One;
  readonly other: One;
  /** What the other one sees. */
  readonly line: StoreLine;
  /** Opened at the first. */
  readonly client: Moving;
}

async function openTwo(): Promise<Two> {
  const store = new MemoryStore();
  const line = new StoreLine(store);
  const [one, other] = [startReplica(store), startReplica(line)];
  return { store, one, other, line, client: await Moving.open(one) };
}

it("continues no session before it hears what others say of it", async () => {
  const store = new MemoryStore();
  const one = startReplica(store);
  const line = new StoreLine(store);
  line.isDown = true;
  const other = startReplica(line);
  await new Promise((resolve) => setImmediate(resolve));
  line.isDown = false;
  const client = await Moving.open(one);
  expect((await client.request(other, "ping")).status).toBe(200);
  await client.request(one, "resources/subscribe", { uri: URIS[0] });
  const stream = await client.listen(other);
  one.server.resourceUpdated("test://a");
  await expect.poll(() => stream.uris).toEqual(["test://a"]);
});

it("knows of a subscription that was made while it looked the session up", async () => {
  const { one, other, line, client } = await openTwo();
  line.hold("set");
  const listening = client.listen(other);
  await expect.poll(() => line.holds("set")).toBe(1);
  await client.request(one, "resources/subscribe", { uri: URIS[0] });
  line.release("set");
  const stream = await listening;
  one.server.resourceUpdated("test://a");
  await expect.poll(() => stream.uris).toEqual(["test://a"]);
});

it.each([0, 1, 2, 3, 4, 5, 6, 7])(
  "knows of a subscription that it hears of %i turns after it found the session",
  async (turns) => {
    const { store, one, other, line, client } = await openTwo();
    line.hold("set");
    const answer = client.request(other, "ping");
    await expect.poll(() => line.holds("set")).toBe(1);
    line.release("set");
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const message = { change: { subscribe: URIS[0] } };
    const news = { kind: "session", id: client.id, from: "another", message };
    store.append("changes", JSON.stringify(news), { most: 100, ttlMs: 60_000 });
    await answer;
    const stream = await client.listen(other);
    one.server.resourceUpdated("test://a");
    one.server.listChanged("tools");
    await expect.poll(() => stream.uris).toEqual(["test://a", undefined]);
  },
);

it("tells its client all, though it learns late that the client has listened elsewhere before", async () => {
  const { one, other, line, client } = await openTwo();
  await client.request(other, "ping");
  line.hold("news");
  await (await client.listen(one)).cut();
  const stream = await client.listen(other);
  line.release("news");
  one.server.listChanged("tools");
  await expect.poll(() => stream.messages.length).toBe(1);
});

it("has a client come back that has left where it listened last", async () => {
  const { one, other, client } = await openTwo();
  const older = await client.listen(one);
  const newer = await client.listen(other);
  one.server.listChanged("tools");
  await expect.poll(() => newer.messages.length).toBe(1);
  expect([older.messages, older.ended]).toEqual([[], false]);
  await newer.cut();
  one.server.listChanged("resources");
  await expect.poll(() => older.ended).toBe(true);
  const again = await client.listen(one, newer.lastId);
  await expect.poll(() => again.messages).toMatchObject([{ method: "notifications/resources/list_changed" }]);
});

it("has a client come back that is taken to listen where it has given up", async () => {
  const { one, other, line, client } = await openTwo();
  await client.request(other, "ping");
  line.hold("get");
  const given = new AbortController();
  void client.listen(other, undefined, given.signal);
  await expect.poll(() => line.holds("get")).toBe(1);
  given.abort();
  const stream = await client.listen(one);
  line.release("get");
  await expect.poll(() => stream.ended).toBe(true);
});

it("tells its client all, though it learns before it begins to that the client has left elsewhere", async () => {
  const { one, other, line, client } = await openTwo();
  await client.request(other, "ping");
  const passed = await client.listen(one);
  line.hold("append");
  const listening = client.listen(other);
  await expect.poll(() => line.holds("append")).toBe(1);
  const later = await client.listen(one);
  await passed.cut();
  await later.cut();
  one.server.listChanged("tools");
  line.release("append");
  const stream = await listening;
  await expect.poll(() => stream.messages.length).toBe(1);
});

it("tells a client what it missed on the stream that it resumes, though it listens elsewhere by then", async () => {
  const { one, other, line, client } = await openTwo();
  const stream = await client.listen(other);
  await expect.poll(() => stream.lastId).toBeDefined();
  const { lastId } = stream;
  one.server.listChanged("tools");
  await expect.poll(() => stream.messages.length).toBe(1);
  await stream.cut();
  line.hold("append");
  const resuming = client.listen(other, lastId);
  await expect.poll(() => line.holds("append")).toBeGreaterThan(0);
  const newer = await client.listen(one);
  line.release("append");
  const resumed = await resuming;
  await expect.poll(() => resumed.messages.length).toBe(1);
  one.server.listChanged("resources");
  await expect.poll(() => newer.messages.length).toBe(1);
  expect(resumed.messages).toMatchObject([{ method: "notifications/tools/list_changed" }]);
});

it("says that a client has left though the store was away when it did", async () => {
  const { one, other, line, client } = await openTwo();
  const older = await client.listen(one);
  const newer = await client.listen(other);
  line.isDown = true;
  await newer.cut();
  await new Promise((resolve) => setImmediate(resolve));
  line.isDown = false;
  await expect.poll(() => older.ended).toBe(true);
});

it("ends no stream of a client that has left where it listened before", async () => {
  const { one, other, client } = await openTwo();
  const older = await client.listen(one);
  const newer = await client.listen(other);
  await older.cut();
  one.server.listChanged("tools");
  await expect.poll(() => newer.messages.length).toBe(1);
  expect(newer.ended).toBe(false);
});

it("ends all streams of a client that it cannot tell what it missed", async () => {
  const { other, line, client } = await openTwo();
  await client.request(other, "ping");
  line.hold("read");
  const first = await client.listen(other);
  const second = await client.listen(other);
  await expect.poll(() => line.holds("read")).toBe(1);
  line.isDown = true;
  line.release("read");
  await expect.poll(() => [first.ended, second.ended]).toEqual([true, true]);
});

it("tells its client of a change though it hears of the subscription only after a later one", async () => {
  const { one, other, line, client } = await openTwo();
  await client.request(other, "ping");
  line.hold("news");
  await client.request(one, "resources/subscribe", { uri: URIS[0] });
  one.server.resourceUpdated("test://a");
  one.server.listChanged("tools");
  const stream = await client.listen(other);
  line.release("news");
  await expect.poll(() => stream.uris).toEqual(["test://a", undefined]);
});

describe("a client that has missed more than the journal keeps", () => {
  /** Goes, and misses a change of its resource, which the journal forgets. */
  async function leaveForLong(store: MemoryStore, one: One): Promise<{ client: Moving; lastId: string }> {
    const client = await Moving.open(one);
    await client.request(one, "resources/subscribe", { uri: URIS[0] });
    const stream = await client.listen(one);
    await stream.cut();
    one.server.resourceUpdated("test://a");
    await expect
      .poll(() => store.read("changes", 0).some(({ text }) => text.includes("test://a")))
      .toBe(true);
    store.append("changes", JSON.stringify({ kind: "task", id: "another" }), { most: 1, ttlMs: 60_000 });
    return { client, lastId: stream.lastId ?? "" };
  }

  const toldAll = [
    { method: "notifications/resources/updated", params: { uri: "test://a" } },
    { method: "notifications/tools/list_changed" },
    { method: "notifications/resources/list_changed" },
  ];

  it.each([
    ["says where it was", (lastId: string) => lastId],
    ["does not say where it was", () => undefined],
  ])("and %s is told that everything it follows may have changed, once", async (_, toLastId) => {
    const store = new MemoryStore();
    const { client, lastId } = await leaveForLong(store, startReplica(store));
    const other = startReplica(store);
    const stream = await client.listen(other, toLastId(lastId));
    await expect.poll(() => stream.messages).toMatchObject(toldAll);
    await stream.cut();
    const again = await client.listen(other, stream.lastId);
    other.server.listChanged("tools");
    await expect.poll(() => again.messages).toMatchObject([{ method: "notifications/tools/list_changed" }]);
  });

  it("is told nothing where it listens elsewhere by then, but has to come back", async () => {
    const store = new MemoryStore();
    const line = new StoreLine(store);
    const [one, other] = [startReplica(store), startReplica(line)];
    const { client, lastId } = await leaveForLong(store, one);
    await client.request(other, "ping");
    line.hold("append");
    const resuming = client.listen(other, lastId);
    await expect.poll(() => line.holds("append")).toBeGreaterThan(0);
    await client.listen(one);
    line.release("append");
    const resumed = await resuming;
    await expect.poll(() => resumed.ended).toBe(true);
    expect(resumed.messages).toEqual([]);
    const again = await client.listen(other, resumed.lastId);
    await expect.poll(() => again.messages).toMatchObject(toldAll);
  });
});

describe("a replica that has missed more than the journal keeps", () => {
  async function startWithGap(): Promise<Two & { readonly makeGap: () => void }> {
    const two = await openTwo();
    await two.client.request(two.one, "resources/subscribe", { uri: URIS[0] });
    const makeGap = (): void => {
      // What was held until now is never passed.
      two.line.passLater("news");
      two.one.server.listChanged("prompts");
    };
    return { ...two, makeGap };
  }

  it("has those who listen come back, and tells them what it has missed itself", async () => {
    const { one, other, line, client, makeGap } = await startWithGap();
    const stream = await client.listen(other);
    one.server.listChanged("tools");
    await expect.poll(() => stream.messages.length).toBe(1);
    line.hold("news");
    one.server.resourceUpdated("test://a");
    await client.request(one, "resources/subscribe", { uri: URIS[1] });
    makeGap();
    await expect.poll(() => stream.ended).toBe(true);
    expect(stream.messages).toHaveLength(1);
    const again = await client.listen(other, stream.lastId);
    await expect.poll(() => again.uris).toContain("test://a");
    one.server.resourceUpdated("test://b");
    await expect.poll(() => again.uris).toContain("test://b");
  });

  it("finishes work that it has begun, and has its client come back all the same", async () => {
    const { one, other, line, client, makeGap } = await startWithGap();
    const stream = await client.listen(other);
    const working = new Events(await client.call(other, "slow", 7));
    await expect.poll(() => other.gates.length).toBe(1);
    line.hold("news");
    one.server.listChanged("tools");
    await expect.poll(() => line.holds("news")).toBe(1);
    makeGap();
    await expect.poll(() => stream.ended).toBe(true);
    other.gates[0]?.();
    await expect.poll(() => working.ended).toBe(true);
    expect(working.messages.at(-1)).toMatchObject({ id: 7, result: { content: [{ text: "slow" }] } });
  });

  it("lets go of a session that has ended meanwhile", async () => {
    const { one, other, line, client, makeGap } = await startWithGap();
    const stream = await client.listen(other);
    line.hold("news");
    const ended = client.delete(one);
    await expect.poll(async () => (await client.request(one, "ping")).status).toBe(404);
    makeGap();
    await expect.poll(() => stream.ended).toBe(true);
    expect((await client.request(other, "ping")).status).toBe(404);
    expect((await ended).status).toBe(204);
  });
});
