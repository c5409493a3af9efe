import { execFileSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";

import { StoreUnavailable } from "@suite/core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openRedisStore, type Store } from "@suite/replicas";

import { describeWith } from "../support/programs.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";
import { testStore } from "./store-suite.ts";

const LIMITS = { most: 100, ttlMs: 600_000 };

async function answers(store: Store): Promise<boolean> {
  try {
    await store.get("a");
    return true;
  } catch {
    return false;
  }
}

describeWith(["redis-server", "redis-cli"], "Redis", () => {
  describe("as a store", () => {
    let server: RedisServer;
    let prefix = 0;
    beforeAll(async () => void (server = await startRedis()));
    afterAll(() => server.stop());
    const open = (name: string | number): Promise<Store> =>
      openRedisStore({ url: server.url, prefix: `${name}:` });
    const ask = (...command: readonly string[]): string =>
      execFileSync("redis-cli", ["-u", server.url, ...command], { encoding: "utf8" });

    describe("does what every store does", () => {
      let opened = 0;
      testStore(() => {
        // Two views each test, and the next one begins with nothing.
        prefix = Math.floor(opened++ / 2);
        return open(prefix);
      });
    });

    it("keeps servers with different prefixes apart", async () => {
      const [one, other] = [await open("one"), await open("other")];
      await one.set("a", "1", { ttlMs: 1000 });
      expect(await other.get("a")).toBeUndefined();
      await Promise.all([one.close(), other.close()]);
    });

    it("keeps databases apart, also where entries are followed", async () => {
      const inDatabase = (number: number): Promise<Store> =>
        openRedisStore({ url: `${server.url}/${number}`, prefix: "apart:" });
      const [one, other] = [await inDatabase(1), await inDatabase(2)];
      const heard: string[] = [];
      one.follow("log", 0, ({ text }) => heard.push(text));
      await expect.poll(() => ask("pubsub", "channels", "apart:*")).toContain("apart:log");
      await other.append("log", "theirs", LIMITS);
      await one.append("log", "ours", LIMITS);
      await expect.poll(() => heard).toContain("ours");
      expect(heard).toEqual(["ours"]);
      await Promise.all([one.close(), other.close()]);
    });

    it("reads a long log in pieces", async () => {
      const store = await open("pieces");
      for (let index = 0; index < 501; index += 1) await store.append("log", "x", { ...LIMITS, most: 1000 });
      expect(await store.read("log", 0)).toHaveLength(500);
      expect(await store.read("log", 500)).toEqual([{ number: 501, text: "x" }]);
      await store.close();
    });

    it("sends the text of a script only where Redis does not know it", async () => {
      const countTexts = (): number =>
        Number(/^cmdstat_eval:calls=(\d+)/m.exec(ask("info", "commandstats"))?.[1]);
      const store = await open("scripts");
      await store.set("value", "0", { ttlMs: 60_000 });
      const runAll = async (round: number): Promise<void> => {
        expect(await store.append("log", "x", LIMITS)).toBe(round);
        const conditions = { ttlMs: 60_000, expected: { value: String(round - 1) } };
        expect(await store.set("value", String(round), conditions)).toBe(true);
        expect(await store.take("bucket", { burst: 9, perSecond: 0.001 }, 1)).toEqual({
          tokens: 1,
          waitMs: 0,
        });
      };
      ask("config", "resetstat");
      ask("script", "flush");
      await runAll(1);
      await runAll(2);
      expect(countTexts()).toBe(3);
      ask("script", "flush");
      await runAll(3);
      expect(countTexts()).toBe(6);
      await store.close();
    });

    it("says so while Redis is away, and loses no entry over it", async () => {
      const states: boolean[] = [];
      const store = await openRedisStore({
        url: server.url,
        prefix: "away:",
        onStateChange: (isThere) => states.push(isThere),
      });
      const other = await open("away");
      const heard: string[] = [];
      store.follow("log", 0, ({ text }) => heard.push(text));
      await other.append("log", "before", LIMITS);
      await expect.poll(() => heard).toEqual(["before"]);
      await server.kill();
      await expect(store.get("a")).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(store.append("log", "lost", LIMITS)).rejects.toBeInstanceOf(StoreUnavailable);
      const late: string[] = [];
      store.follow("late", 0, ({ text }) => late.push(text));
      await server.start();
      await expect.poll(() => answers(other)).toBe(true);
      await other.append("late", "x", LIMITS);
      await other.append("log", "after", LIMITS);
      await expect.poll(() => heard).toEqual(["before", "after"]);
      await expect.poll(() => late).toEqual(["x"]);
      expect(states).toEqual([false, true]);
      await Promise.all([store.close(), other.close()]);
    });

    it("gives up on a Redis that says nothing, however much it is asked", async () => {
      const proxy = await startCuttingProxy(Number(new URL(server.url).port));
      const store = await openRedisStore({ url: proxy.url, prefix: "silent:" });
      await store.set("a", "1", { ttlMs: 60_000 });
      const connections = proxy.count();
      proxy.cut();
      // A connection that is written to does not look dead.
      const asking = setInterval(() => void answers(store), 100);
      await expect(store.get("a")).rejects.toBeInstanceOf(StoreUnavailable);
      // The store begins anew twice meanwhile, over connections that say nothing from the start.
      await setTimeout(3500);
      proxy.heal();
      await expect.poll(() => answers(store)).toBe(true);
      await expect.poll(() => proxy.count()).toBe(connections);
      clearInterval(asking);
      await store.close();
      await proxy.stop();
    });

    it("sends large values over a connection of their own", async () => {
      const store = await openRedisStore({ url: server.url, prefix: "large:" });
      onTestFinished(() => store.close());
      /** The last command of each connection. Repeated, because a ping may have come after it. */
      const lastCommands = async (): Promise<readonly string[]> => {
        await store.append("log", "x".repeat(100_000), LIMITS);
        await store.get("small");
        const text = execFileSync("redis-cli", ["-u", server.url, "client", "list"], { encoding: "utf8" });
        return [...text.matchAll(/\bcmd=(\S+)/g)].map(([, name = ""]) => name);
      };
      await expect
        .poll(lastCommands)
        .toEqual(expect.arrayContaining([expect.stringMatching(/^eval/), "get"]));
    });

    it("refuses what is too much at once, and does not take that for a failure of Redis", async () => {
      const states: boolean[] = [];
      const onStateChange = (isThere: boolean): void => void states.push(isThere);
      const store = await openRedisStore({ url: server.url, prefix: "much:", onStateChange });
      server.hang();
      onTestFinished(() => server.wake());
      const waiting = Array.from({ length: 10_000 }, () => answers(store));
      await expect(store.get("a")).rejects.toMatchObject({
        cause: { message: "10000 commands are already waiting for Redis" },
      });
      // The client looks after its connection in the meantime.
      await setTimeout(1500);
      server.wake();
      await Promise.all(waiting);
      await expect.poll(() => answers(store)).toBe(true);
      await expect.poll(() => states.at(-1) ?? true).toBe(true);
      await store.close();
    });

    it("gives up on a connection that no longer brings messages, however much is subscribed to", async () => {
      const proxy = await startCuttingProxy(Number(new URL(server.url).port));
      let giveUp: () => void = () => undefined;
      const givenUp = new Promise<void>((resolve) => (giveUp = resolve));
      const onStateChange = (isThere: boolean): void => void (isThere || giveUp());
      const store = await openRedisStore({ url: proxy.url, prefix: "mute:", onStateChange });
      const other = await open("mute");
      const heard: string[] = [];
      const follow = (log: string): void => void store.follow(log, 0, ({ text }) => heard.push(text));
      follow("known");
      await other.append("known", "1", LIMITS);
      await expect.poll(() => heard).toEqual(["1"]);
      const muted = proxy.loseAnswerTo("mute:new");
      follow("new");
      await muted;
      void proxy.loseAnswerTo("nothing else");
      await other.append("known", "2", LIMITS);
      await other.append("new", "3", LIMITS);
      // A connection that is written to does not look dead.
      let count = 0;
      const subscribing = setInterval(() => follow(`more ${count++}`), 100);
      onTestFinished(() => clearInterval(subscribing));
      await givenUp;
      await expect.poll(() => heard.toSorted()).toEqual(["1", "2", "3"]);
      await other.append("known", "4", LIMITS);
      await expect.poll(() => heard).toContain("4");
      await Promise.all([store.close(), other.close()]);
      await proxy.stop();
    });

    it("stops following a log even if the connection dies with the word", async () => {
      const proxy = await startCuttingProxy(Number(new URL(server.url).port));
      const store = await openRedisStore({ url: proxy.url, prefix: "leaving:" });
      const followed = (): readonly string[] => ask("pubsub", "channels", "leaving:*").split("\n").toSorted();
      store.follow("kept", 0, () => undefined);
      const stop = store.follow("left", 0, () => undefined);
      await expect.poll(followed).toEqual(["", "leaving:kept:0", "leaving:left:0"]);
      const isLost = proxy.loseAnswerTo("unsubscribe");
      stop();
      await isLost;
      void proxy.loseAnswerTo("nothing else");
      proxy.heal();
      await expect.poll(() => answers(store)).toBe(true);
      await expect.poll(followed).toEqual(["", "leaving:kept:0"]);
      await store.close();
      await proxy.stop();
    });

    it("says that Redis is back when it only refused to answer for a while", async () => {
      const states: boolean[] = [];
      const onStateChange = (isThere: boolean): void => void states.push(isThere);
      const store = await openRedisStore({ url: server.url, prefix: "refused:", onStateChange });
      ask("acl", "setuser", "default", "-ping");
      onTestFinished(() => void ask("acl", "setuser", "default", "+ping"));
      await expect.poll(() => states.at(-1)).toBe(false);
      ask("acl", "setuser", "default", "+ping");
      await expect.poll(() => states.at(-1)).toBe(true);
      await store.close();
    });

    it("opens without Redis, and has it when it comes", async () => {
      await server.kill();
      const store = await open("late");
      await expect(store.get("a")).rejects.toBeInstanceOf(StoreUnavailable);
      await server.start();
      await expect.poll(() => answers(store)).toBe(true);
      await store.close();
    });

    it("follows a store that lost its data from its new beginning", async () => {
      const [store, other] = [await open("reset"), await open("reset")];
      const heard: string[] = [];
      await store.append("log", "1", LIMITS);
      await store.append("log", "2", LIMITS);
      store.follow("log", 0, ({ text }) => heard.push(text));
      await expect.poll(() => heard).toEqual(["1", "2"]);
      await other.delete("log");
      await other.delete("log:last");
      await other.append("log", "new", LIMITS);
      await expect.poll(() => heard).toEqual(["1", "2", "new"]);
      await Promise.all([store.close(), other.close()]);
    });
  });

  describe("with a password", () => {
    let server: RedisServer;
    beforeAll(async () => void (server = await startRedis(["--requirepass", "open sesame"])));
    afterAll(() => server.stop());

    it("lets in who knows it, and nobody else", async () => {
      const store = await openRedisStore({ url: server.url, password: "open sesame", prefix: "p:" });
      expect(await store.set("a", "1", { ttlMs: 1000 })).toBe(true);
      const reasons: string[] = [];
      const onStateChange = (_isThere: boolean, reason?: Error): void =>
        void reasons.push(reason?.message ?? "");
      const stranger = await openRedisStore({ url: server.url, prefix: "p:", onStateChange });
      await expect(stranger.get("a")).rejects.toBeInstanceOf(StoreUnavailable);
      expect(reasons.join()).toContain("NOAUTH");
      await Promise.all([store.close(), stranger.close()]);
    });
  });
});
