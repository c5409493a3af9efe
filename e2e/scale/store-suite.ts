import { expect, it, onTestFinished } from "vitest";
import type { Store } from "@suite/replicas";

const TTL = { ttlMs: 60_000 };
const LIMITS = { most: 100, ttlMs: 60_000 };

/** Two replicas' views of the same store. */
type OpenBoth = () => Promise<{ readonly one: Store; readonly other: Store }>;

/** What every store does. `open` is another replica's view of the same store each time. */
export function testStore(open: () => Promise<Store>): void {
  const openBoth: OpenBoth = async () => {
    const [one, other] = [await open(), await open()];
    onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
    return { one, other };
  };
  testValues(openBoth);
  testRecords(openBoth);
  testLogs(openBoth);
  testForgetting(openBoth);
  testFollowing(openBoth);
  testBuckets(openBoth);
}

function testValues(openBoth: OpenBoth): void {
  it("gives a value to every replica until it is deleted", async () => {
    const { one, other } = await openBoth();
    expect(await one.get("a")).toBeUndefined();
    expect(await one.set("a", "älter\n", TTL)).toBe(true);
    expect(await other.get("a")).toBe("älter\n");
    await other.delete("a");
    expect(await one.get("a")).toBeUndefined();
  });

  it("forgets a value when its time is over", async () => {
    const { one, other } = await openBoth();
    await one.set("short", "x", { ttlMs: 30 });
    await one.set("long", "x", TTL);
    await expect.poll(() => other.get("short")).toBeUndefined();
    expect(await other.get("long")).toBe("x");
  });

  it("sets only what is still as expected", async () => {
    const { one, other } = await openBoth();
    expect(await one.set("k", "1", { ...TTL, expected: { value: "0" } })).toBe(false);
    expect(await one.set("k", "1", { ...TTL, expected: { value: undefined } })).toBe(true);
    expect(await other.set("k", "2", { ...TTL, expected: { value: undefined } })).toBe(false);
    expect(await other.set("k", "2", { ...TTL, expected: { value: "1" } })).toBe(true);
    expect(await one.get("k")).toBe("2");
  });

  it("lets one of many win", async () => {
    const { one, other } = await openBoth();
    const attempts = Array.from({ length: 20 }, async (_, index) =>
      (index % 2 === 0 ? one : other).set("race", String(index), { ...TTL, expected: { value: undefined } }),
    );
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
  });
}

function testLogs(openBoth: OpenBoth): void {
  it("numbers the entries of a log, whoever appends", async () => {
    const { one, other } = await openBoth();
    expect(await one.last("log")).toBe(0);
    expect(await one.append("log", "a", LIMITS)).toBe(1);
    expect(await other.append("log", "b", LIMITS)).toBe(2);
    expect(await one.read("log", 0)).toEqual([
      { number: 1, text: "a" },
      { number: 2, text: "b" },
    ]);
    expect(await other.read("log", 1)).toEqual([{ number: 2, text: "b" }]);
    expect(await other.read("log", 2)).toEqual([]);
    expect(await other.last("log")).toBe(2);
  });

  it("keeps no more entries than it may, and goes on counting", async () => {
    const { one } = await openBoth();
    for (const text of ["a", "b", "c"]) await one.append("small", text, { ...LIMITS, most: 2 });
    expect(await one.read("small", 0)).toEqual([
      { number: 2, text: "b" },
      { number: 3, text: "c" },
    ]);
  });

  it("keeps no more characters than it may, but always the newest", async () => {
    const { one } = await openBoth();
    const limits = { ...LIMITS, mostCharacters: 5 };
    for (const text of ["aa", "bb", "cc"]) await one.append("narrow", text, limits);
    expect((await one.read("narrow", 0)).map(({ text }) => text)).toEqual(["bb", "cc"]);
    await one.append("narrow", "too long", limits);
    expect((await one.read("narrow", 0)).map(({ text }) => text)).toEqual(["too long"]);
    await one.append("narrow", "d", limits);
    await one.append("narrow", "e", limits);
    expect((await one.read("narrow", 0)).map(({ text }) => text)).toEqual(["d", "e"]);
  });
}

/** Of logs: when, and that their numbers go on. */
function testForgetting(openBoth: OpenBoth): void {
  it("goes on counting after a log whose time is over, where it is asked to", async () => {
    const { one, other } = await openBoth();
    const limits = { most: 100, ttlMs: 30, keepsCount: true };
    await one.append("counting", "a", limits);
    await expect.poll(() => one.read("counting", 0)).toEqual([]);
    expect(await one.last("counting")).toBe(1);
    expect(await other.append("counting", "b", LIMITS)).toBe(2);
  });

  it("forgets what a log has when it is told to, and goes on counting", async () => {
    const { one, other } = await openBoth();
    const limits = { ...LIMITS, mostCharacters: 3 };
    for (const text of ["aa", "b"]) await one.append("emptied", text, limits);
    await other.delete("emptied");
    expect(await one.read("emptied", 0)).toEqual([]);
    expect(await one.last("emptied")).toBe(2);
    for (const text of ["cc", "d"]) await one.append("emptied", text, limits);
    expect(await one.read("emptied", 0)).toEqual([
      { number: 3, text: "cc" },
      { number: 4, text: "d" },
    ]);
  });

  it("forgets a log when its time is over", async () => {
    const { one } = await openBoth();
    await one.append("brief", "a", { most: 10, ttlMs: 30 });
    await expect.poll(() => one.read("brief", 0)).toEqual([]);
  });
}

function testRecords(openBoth: OpenBoth): void {
  const CONDITIONS = { ...TTL, mostCharacters: 40 };

  it("has records, whose fields replicas set without reading them", async () => {
    const { one, other } = await openBoth();
    expect(await one.setFields("r", { a: "1" }, CONDITIONS)).toBe("gone");
    expect(await one.setFields("r", { a: "1", "uri:ä": "" }, { ...CONDITIONS, isNew: true })).toBe("set");
    await Promise.all([
      one.setFields("r", { b: "2" }, CONDITIONS),
      other.setFields("r", { constructor: "3" }, CONDITIONS),
    ]);
    expect(await one.fields("r")).toEqual({ a: "1", "uri:ä": "", b: "2", constructor: "3" });
    expect(await other.fields("r", ["b", "none", "a"])).toEqual({ a: "1", b: "2" });
    expect(await other.fields("r", ["none"])).toBeUndefined();
    await other.deleteField("r", "none");
    await other.deleteField("r", "a");
    expect(Object.keys((await one.fields("r")) ?? {})).not.toContain("a");
    await one.delete("r");
    expect(await other.fields("r")).toBeUndefined();
    expect(await other.setFields("r", { b: "2" }, CONDITIONS)).toBe("gone");
  });

  it("lets no record become too large, and counts what was replaced or deleted no more", async () => {
    const { one } = await openBoth();
    await one.setFields("r", { a: "x".repeat(30) }, { ...CONDITIONS, isNew: true });
    expect(await one.setFields("r", { b: "x".repeat(10) }, CONDITIONS)).toBe("full");
    expect(await one.setFields("r", { a: "y".repeat(20) }, CONDITIONS)).toBe("set");
    expect(await one.setFields("r", { b: "x".repeat(10) }, CONDITIONS)).toBe("set");
    expect(await one.setFields("r", { c: "x".repeat(10) }, CONDITIONS)).toBe("full");
    await one.deleteField("r", "b");
    expect(await one.setFields("r", { c: "x".repeat(10) }, CONDITIONS)).toBe("set");
    expect(await one.fields("r", ["a", "b"])).toEqual({ a: "y".repeat(20) });
  });

  it("forgets a record when its time is over, counted from the last change or renewal", async () => {
    const { one } = await openBoth();
    for (const name of ["brief", "changed", "long"])
      await one.setFields(name, { a: "" }, { ...CONDITIONS, isNew: true });
    await one.renew("brief", 30);
    await one.setFields("changed", { a: "" }, { ...CONDITIONS, ttlMs: 30 });
    await expect.poll(() => one.fields("brief")).toBeUndefined();
    await expect.poll(() => one.fields("changed")).toBeUndefined();
    expect(await one.fields("long")).toEqual({ a: "" });
    await one.renew("brief", 60_000);
    expect(await one.fields("brief")).toBeUndefined();
  });
}

/** What a follower of a log is told, with the numbers. */
function follow(store: Store, log: string, after = 0): string[] {
  const told: string[] = [];
  onTestFinished(store.follow(log, after, ({ number, text }) => void told.push(`${number} ${text}`)));
  return told;
}

function testFollowing(openBoth: OpenBoth): void {
  it("gives followers all of a long past", async () => {
    const { one, other } = await openBoth();
    const texts = Array.from({ length: 1100 }, (_, index) => String(index));
    await Promise.all(texts.map(async (text) => one.append("long", text, { ...LIMITS, most: 2000 })));
    const heard = follow(other, "long");
    await expect.poll(() => heard.length).toBe(1100);
  });

  it("tells followers every entry once and in order, past and new", async () => {
    const { one, other } = await openBoth();
    await one.append("f", "past", LIMITS);
    const all = follow(other, "f");
    const late = follow(one, "f", 1);
    const appended = Array.from({ length: 50 }, async (_, index) =>
      (index % 2 === 0 ? one : other).append("f", "new", LIMITS),
    );
    await Promise.all(appended);
    const numbers = Array.from({ length: 50 }, (_, index) => `${index + 2} new`);
    await expect.poll(() => all).toEqual(["1 past", ...numbers]);
    await expect.poll(() => late).toEqual(numbers);
  });

  it("tells nobody who has stopped, and nobody about other logs", async () => {
    const { one, other } = await openBoth();
    const texts: string[] = [];
    const stop = one.follow("mine", 0, ({ text }) => texts.push(text));
    await one.append("mine", "a", LIMITS);
    await expect.poll(() => texts).toEqual(["a"]);
    stop();
    const after = follow(one, "mine", 1);
    await other.append("theirs", "x", LIMITS);
    await other.append("mine", "b", LIMITS);
    await expect.poll(() => after).toEqual(["2 b"]);
    expect(texts).toEqual(["a"]);
  });
}

function testBuckets(openBoth: OpenBoth): void {
  it("has one bucket for all replicas", async () => {
    const { one, other } = await openBoth();
    const rate = { burst: 3, perSecond: 0.01 };
    const taken = [];
    for (const store of [one, other, one, other]) taken.push(await store.take("b", rate, 1));
    expect(taken.map(({ tokens }) => tokens)).toEqual([1, 1, 1, 0]);
    expect(taken[3]?.waitMs).toBeGreaterThan(0);
    expect(taken[3]?.waitMs).toBeLessThanOrEqual(100_000);
    expect(await one.take("another", rate, 1)).toEqual({ tokens: 1, waitMs: 0 });
  });

  it("fills an empty bucket again", async () => {
    const { one } = await openBoth();
    const tokens = async (): Promise<number> => (await one.take("c", { burst: 1, perSecond: 20 }, 1)).tokens;
    expect(await tokens()).toBe(1);
    await expect.poll(tokens).toBe(1);
  });

  it("gives several tokens at once, as far as there are any, and takes them back up to the brim", async () => {
    const { one } = await openBoth();
    const slow = { burst: 5, perSecond: 0.001 };
    const tokens = async (most: number): Promise<number> => (await one.take("many", slow, most)).tokens;
    expect([await tokens(3), await tokens(3), await tokens(3)]).toEqual([3, 2, 0]);
    expect([await tokens(-2), await tokens(9)]).toEqual([-2, 2]);
    expect([await tokens(-9), await tokens(9)]).toEqual([-9, 5]);
  });
}
