import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { Middleware } from "@suite/core";
import { MemoryStore } from "../src/memory-store.ts";
import { StoreLine } from "./store-line.ts";
import { settled } from "./support.ts";
import {
  Events,
  Moving,
  type One,
  openAtOne,
  resultOf,
  startReplica,
  startReplicas,
  URIS,
} from "./replicas.ts";

const CONDITIONS = { ttlMs: 60_000, mostCharacters: 1_000_000 };

/** As if another replica had asked the client something. */
const askElsewhere = (store: MemoryStore, { id }: Moving): unknown =>
  store.setFields(`sessions:${id}`, { "asked:elsewhere-1": "" }, CONDITIONS);

describe("a session that moves", () => {
  it.each([
    ["has a client that is no JSON", "client", "{not json"],
    ["has a client that is no object", "client", "null"],
    ["has no client", "client", undefined],
    ["does not say how far the client was told", "told", undefined],
    ["has no log level", "level", undefined],
  ])("is unknown elsewhere where its record %s", async (_what, field, value) => {
    const store = new MemoryStore();
    const client = await Moving.open(startReplica(store));
    const key = `sessions:${client.id}`;
    if (value === undefined) store.deleteField(key, field);
    else store.setFields(key, { [field]: value }, CONDITIONS);
    const other = startReplica(store);
    expect((await client.call(other, "plain")).status).toBe(404);
    expect((await client.listen(other)).status).toBe(404);
    expect((await client.delete(other)).status).toBe(404);
  });

  it("hears of every change once, wherever it subscribed, listens and comes back", async () => {
    const { one, other, client } = await openAtOne();
    await client.request(other, "resources/subscribe", { uri: URIS[0] });
    one.server.resourceUpdated("test://a");
    const first = await client.listen(one);
    await expect.poll(() => first.uris).toEqual(["test://a"]);
    other.server.resourceUpdated("test://b");
    await client.request(one, "resources/subscribe", { uri: URIS[1] });
    other.server.resourceUpdated("test://b");
    await expect.poll(() => first.uris).toEqual(["test://a", "test://b"]);
    await first.cut();
    one.server.resourceUpdated("test://a");
    other.server.listChanged("tools");
    const second = await client.listen(other, first.lastId);
    one.server.resourceUpdated("test://b");
    await expect.poll(() => second.messages.length).toBe(3);
    expect(second.messages.map(({ method }) => method)).toEqual([
      "notifications/resources/updated",
      "notifications/tools/list_changed",
      "notifications/resources/updated",
    ]);
    expect(second.uris).toEqual(["test://a", undefined, "test://b"]);
  });

  it("is told on one stream only, the one it opened last", async () => {
    const { one, other, client } = await openAtOne();
    const old = await client.listen(one);
    const latest = await client.listen(other);
    one.server.listChanged("tools");
    await expect.poll(() => latest.messages.length).toBe(1);
    expect(old.messages).toEqual([]);
  });

  it("finds what it missed although it does not say where it was", async () => {
    const { one, other, client } = await openAtOne();
    const first = await client.listen(one);
    one.server.listChanged("tools");
    await expect.poll(() => first.messages.length).toBe(1);
    await first.cut();
    await expect
      .poll(async () => {
        one.server.listChanged("resources");
        const again = await client.listen(other);
        await expect.poll(() => again.messages.length).toBeGreaterThan(0);
        await again.cut();
        return again.messages.map(({ method }) => method);
      })
      .toEqual(["notifications/resources/list_changed"]);
  });

  it("can move for as long as it is in use, however quiet it is", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const [one, other] = startReplicas();
    onTestFinished(() => void vi.useRealTimers());
    const client = await Moving.open(one);
    const stream = await client.listen(one);
    await vi.advanceTimersByTimeAsync(65 * 60_000);
    expect(stream.ended).toBe(false);
    expect((await client.request(other, "ping")).status).toBe(200);
  });

  it("unsubscribes everywhere", async () => {
    const { one, other, client } = await openAtOne();
    await client.request(one, "resources/subscribe", { uri: URIS[0] });
    const stream = await client.listen(one);
    await client.request(other, "resources/unsubscribe", { uri: URIS[0] });
    one.server.resourceUpdated("test://a");
    one.server.listChanged("tools");
    await expect.poll(() => stream.messages.length).toBe(1);
    expect(stream.uris).toEqual([undefined]);
  });
});

describe("a session whose roots change", () => {
  /** Lets those subscribe who have a root that the resource begins with. */
  const withinRoots: Middleware = async (call, next) => {
    if (call.method !== "resources/subscribe") return next(call);
    const roots = await call.context.roots();
    if (roots.some(({ uri }) => call.name?.startsWith(uri))) return next(call);
    throw new Error("it lies elsewhere");
  };

  /** Answers the question for the roots that comes next. */
  async function answerRoots(
    client: Moving,
    to: One,
    stream: Events,
    ...roots: readonly string[]
  ): Promise<void> {
    const isNew = ({ id, method }: { id?: unknown; method?: unknown }): boolean =>
      method === "roots/list" && !answered.has(id);
    await expect.poll(() => stream.messages.some(isNew)).toBe(true);
    const id = stream.messages.find(isNew)?.["id"];
    answered.add(id);
    await client.post(to, { id, result: { roots: roots.map((uri) => ({ uri })) } });
  }
  const answered = new Set<unknown>();

  it("is asked for them where it listens, as soon as it does, and hears of what changed meanwhile", async () => {
    const store = new MemoryStore();
    const [one, other] = [startReplica(store, [withinRoots]), startReplica(store, [withinRoots])];
    const client = await Moving.open(one);
    const subscribing = new Events(await client.request(one, "resources/subscribe", { uri: URIS[0] }));
    await answerRoots(client, one, subscribing, "test://");
    await expect.poll(() => subscribing.ended).toBe(true);
    expect(await resultOf(await client.request(one, "resources/subscribe", { uri: URIS[1] }))).toEqual({});
    await client.post(one, { method: "notifications/roots/list_changed" });
    // The other one learns of the session only now, and nobody listens at either.
    await client.request(other, "ping");
    await client.post(one, { method: "notifications/roots/list_changed" });
    for (const uri of URIS) one.server.resourceUpdated(uri);
    const stream = await client.listen(other);
    await answerRoots(client, one, stream, "test://b");
    await expect.poll(() => stream.uris).toContain("test://b");
    expect(stream.uris).not.toContain("test://a");
    one.server.resourceUpdated("test://a");
    one.server.resourceUpdated("test://b");
    await expect.poll(() => stream.uris.filter((uri) => uri === "test://b")).toHaveLength(2);
    expect(stream.uris).not.toContain("test://a");
  });
});

describe("work of a session that moves", () => {
  it("can be followed at another replica to its end", async () => {
    const { one, other, client } = await openAtOne();
    const begun = new Events(await client.call(one, "slow", 7));
    await expect.poll(() => begun.messages.length).toBe(1);
    await begun.cut();
    const resumed = await client.listen(other, begun.lastId);
    const again = await client.listen(one, begun.all[0]?.id);
    one.gates[0]?.();
    await expect.poll(() => resumed.ended && again.ended).toBe(true);
    expect(resumed.messages.map(({ id, method }) => id ?? method)).toEqual(["notifications/progress", 7]);
    expect(again.messages.map(({ id, method }) => id ?? method)).toEqual([
      "notifications/progress",
      "notifications/progress",
      7,
    ]);
    const late = await client.listen(other, begun.lastId);
    await expect.poll(() => late.ended).toBe(true);
    expect(late.messages).toEqual(resumed.messages);
    expect((await client.as("mallory").listen(other, begun.lastId)).status).toBe(404);
    expect((await client.listen(other, "zzzzzzzz1.3")).status).toBe(400);
  });

  it("is cancelled through another replica", async () => {
    const { one, other, client } = await openAtOne();
    const stream = new Events(await client.call(one, "stuck", 7));
    await expect.poll(() => stream.messages.length).toBe(1);
    await client.post(other, { method: "notifications/cancelled", params: { requestId: 7 } });
    await expect.poll(() => one.gates.length).toBe(1);
    await expect.poll(() => stream.ended).toBe(true);
  });
});

describe("work that a replica does not finish", () => {
  const CUT_OFF = {
    id: 7,
    error: { code: -32_603, message: "The server is shutting down: how far the work got is unknown" },
  };

  it("is answered so where it was begun, and elsewhere", async () => {
    const { one, other, client } = await openAtOne();
    const begun = new Events(await client.call(one, "stuck", 7));
    await expect.poll(() => begun.messages.length).toBe(1);
    const resumed = await client.listen(other, begun.lastId);
    await one.handle.close(0);
    await expect.poll(() => begun.ended && resumed.ended).toBe(true);
    expect(begun.messages.at(-1)).toMatchObject(CUT_OFF);
    expect(resumed.messages).toEqual([expect.objectContaining(CUT_OFF)]);
  });

  it("is cancelled where it runs although the store is unavailable", async () => {
    const line = new StoreLine(new MemoryStore());
    const one = startReplica(line);
    const client = await Moving.open(one);
    await client.call(one, "stuck", 7);
    line.isDown = true;
    const cancelled = await client.post(one, {
      method: "notifications/cancelled",
      params: { requestId: 7 },
    });
    expect(cancelled.status).toBe(202);
    expect(one.gates).toHaveLength(1);
    const elsewhere = { method: "notifications/cancelled", params: { requestId: 8 } };
    expect((await client.post(one, elsewhere)).status).toBe(503);
    // Otherwise the end of its stream would be tried again for a minute, beside other tests.
    line.heal();
  });
});

describe("what the store remembers of a session", () => {
  it("has a limit, however many subscriptions there are", async () => {
    const one = startReplica(new MemoryStore());
    const client = await Moving.open(one);
    const subscribe = (index: number): Promise<Response> =>
      client.request(one, "resources/subscribe", { uri: `many://${"x".repeat(8000)}${index}` });
    let last: unknown;
    for (let index = 0; index < 140; index += 1) last = await (await subscribe(index)).json();
    expect(last).toMatchObject({
      error: { message: expect.stringContaining("state of the session is too large") },
    });
  });
});

describe("what a session puts into the log", () => {
  const LONG = "x".repeat(64 * 1024);

  it.each([
    ["unknown notifications", { method: "notifications/odd", params: { a: LONG } }, 202],
    ["answers that nobody waits for", { id: 7, result: { a: LONG } }, 202],
    [
      "large cancellations",
      { method: "notifications/cancelled", params: { requestId: 7, reason: LONG } },
      413,
    ],
    ["answers to what nobody asked", { id: "elsewhere-2", result: { a: LONG } }, 202],
    [
      "progress on what nobody asked",
      { method: "notifications/progress", params: { progressToken: "elsewhere-2", progress: 1 } },
      202,
    ],
    ["larger answers", { id: "elsewhere-1", result: { a: LONG.repeat(64) } }, 413],
    [
      "unsubscribing from what is no URI",
      { id: 7, method: "resources/unsubscribe", params: { uri: LONG } },
      200,
    ],
  ])("has no %s in it", async (_what, message, status) => {
    const store = new MemoryStore();
    const one = startReplica(store);
    const client = await Moving.open(one);
    askElsewhere(store, client);
    expect((await client.post(one, message)).status).toBe(status);
    expect(store.read("changes", 0)).toEqual([]);
  });

  it("has nothing in it that is nested too deeply", async () => {
    const store = new MemoryStore();
    const one = startReplica(store);
    const client = await Moving.open(one);
    const params = `{"requestId":7,"reason":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const body = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`;
    expect((await client.postText(one, body)).status).toBe(400);
    expect(store.read("changes", 0)).toEqual([]);
  });

  it("has the end of a stream in it only where another replica knows the session", async () => {
    const store = new MemoryStore();
    const one = startReplica(store);
    const client = await Moving.open(one);
    await (await client.listen(one)).cut();
    await settled();
    expect(store.last("changes")).toBe(1);
    await client.call(startReplica(store), "plain");
    await (await client.listen(one)).cut();
    await expect.poll(() => store.last("changes")).toBe(3);
  });

  it("is bounded for each caller, and has each answer once", async () => {
    const store = new MemoryStore();
    const one = startReplica(store);
    const [client, other] = [await Moving.open(one), await Moving.open(one, "bob")];
    const answer = async (by: Moving): Promise<Response> =>
      by.post(one, { id: "elsewhere-1", result: { a: LONG.repeat(60) } });
    const statuses: number[] = [];
    const startedAt = performance.now();
    for (let index = 0; index < 2; index += 1) {
      askElsewhere(store, client);
      for (let twice = 0; twice < 2; twice += 1) statuses.push((await answer(client)).status);
    }
    expect([statuses, store.last("changes")]).toEqual([[202, 202, 202, 202], 2]);
    askElsewhere(store, client);
    const refused = await answer(client);
    // What has been waited already counts, as on a busy machine.
    const wait = Number(refused.headers.get("retry-after")) + (performance.now() - startedAt) / 1000;
    expect([refused.status, wait]).toEqual([429, expect.closeTo(25, -1)]);
    askElsewhere(store, other);
    expect([(await answer(other)).status, store.last("changes")]).toEqual([202, 3]);
  });

  it("may be unreadable, and what follows is told all the same", async () => {
    const store = new MemoryStore();
    const one = startReplica(store);
    const client = await Moving.open(one);
    for (const text of ["{not json", "null"]) store.append("changes", text, { most: 100, ttlMs: 600_000 });
    one.server.listChanged("tools");
    const stream = await client.listen(one, "0.0");
    await expect.poll(() => stream.messages.length).toBe(1);
    const unknown = { kind: "session", id: "s", from: "another" };
    for (const news of [unknown, { ...unknown, message: { isOver: true } }])
      store.append("changes", JSON.stringify(news), { most: 100, ttlMs: 600_000 });
    store.append("changes", "{not json", { most: 100, ttlMs: 600_000 });
    one.server.listChanged("prompts");
    await expect.poll(() => stream.messages.length).toBe(2);
  });
});
