import { setImmediate as turn } from "node:timers/promises";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import { KeyedLocks } from "../../../src/domain/timing/locks.ts";

const never = new AbortController().signal;

/** Work that lasts until it is told to end. */
function createWork(
  name: string,
  log: string[],
): { work: () => Promise<string>; end: () => void; fail: () => void } {
  let end = (): void => {};
  let fail = (): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = () => reject(new Error(`${name} failed`));
  });
  const work = async (): Promise<string> => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end, fail };
}

it("gives the result of the work, or its failure", async () => {
  const locks = new KeyedLocks();
  expect(await locks.run(["a"], never, () => 1)).toBe(1);
  expect(await locks.run(["a"], never, async () => 2)).toBe(2);
  expect(await locks.run([], never, () => 3)).toBe(3);
  await expect(
    locks.run(["a"], never, () => {
      throw new Fault("conflict", "Taken");
    }),
  ).rejects.toMatchObject({ code: "conflict" });
  expect(locks.size).toBe(0);
});

it("starts at once where nobody else works", () => {
  const log: string[] = [];
  const { work, end } = createWork("first", log);
  const done = new KeyedLocks().run(["a", "b"], never, work);
  expect(log).toEqual(["first begins"]);
  end();
  return expect(done).resolves.toBe("first");
});

it("lets the same key in one after the other, in order, and other keys meanwhile", async () => {
  const locks = new KeyedLocks();
  const log: string[] = [];
  const first = createWork("first", log);
  const second = createWork("second", log);
  const third = createWork("third", log);
  const other = createWork("other", log);
  const done = [
    locks.run(["a"], never, first.work),
    locks.run(["a"], never, second.work),
    locks.run(["a"], never, third.work),
    locks.run(["b"], never, other.work),
  ];
  for (const { end } of [third, other, second, first]) end();
  expect(await Promise.all(done)).toEqual(["first", "second", "third", "other"]);
  expect(log.filter((line) => !line.startsWith("other"))).toEqual([
    "first begins",
    "first ends",
    "second begins",
    "second ends",
    "third begins",
    "third ends",
  ]);
  expect(log.slice(0, 2)).toEqual(["first begins", "other begins"]);
  expect(locks.size).toBe(0);
});

it("goes on after a failure", async () => {
  const locks = new KeyedLocks();
  const log: string[] = [];
  const first = createWork("first", log);
  const failed = locks.run(["a", "b"], never, first.work);
  const after = locks.run(["b", "a"], never, () => log.push("second"));
  first.fail();
  await expect(failed).rejects.toThrow("first failed");
  await after;
  expect(log).toEqual(["first begins", "second"]);
  expect(locks.size).toBe(0);
});

describe("several keys", () => {
  it("are never held by two", async () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const jobs = fc.array(
      fc.record({
        keys: fc.array(key, { maxLength: 4 }),
        turns: fc.nat(3),
        abortAfter: fc.option(fc.nat(4)),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(jobs, async (list) => {
        const locks = new KeyedLocks();
        const held = new Set<string>();
        const done = list.map(async ({ keys, turns, abortAfter }) => {
          const controller = new AbortController();
          const run = locks.run(keys, controller.signal, async () => {
            const own = new Set(keys);
            expect([...own].filter((name) => held.has(name))).toEqual([]);
            own.forEach((name) => held.add(name));
            for (let count = 0; count < turns; count += 1) await turn();
            own.forEach((name) => held.delete(name));
            return "done";
          });
          const outcome = run.catch((error: unknown) => (error as Fault).code);
          for (let count = 0; count < (abortAfter ?? 0); count += 1) await turn();
          if (abortAfter !== null) controller.abort();
          return outcome;
        });
        const outcomes = await Promise.all(done);
        expect(outcomes.filter((outcome) => outcome !== "done" && outcome !== "cancelled")).toEqual([]);
        list.forEach(({ abortAfter }, index) => {
          expect(abortAfter !== null || outcomes[index] === "done").toBe(true);
        });
        expect(locks.size).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a call that is cancelled while it waits for a lock", () => {
  it("does not begin", async () => {
    const locks = new KeyedLocks();
    const log: string[] = [];
    const cancelled = locks.run(["a"], AbortSignal.abort(), () => log.push("begins"));
    await expect(cancelled).rejects.toMatchObject({ name: "Fault", code: "cancelled" });
    expect(log).toEqual([]);
    expect(locks.size).toBe(0);
  });

  it("does not even wait", async () => {
    const locks = new KeyedLocks();
    const { work, end } = createWork("first", []);
    const first = locks.run(["a"], never, work);
    await expect(locks.run(["a"], AbortSignal.abort(), () => 1)).rejects.toMatchObject({ code: "cancelled" });
    end();
    await first;
  });

  it("leaves the queue at once, with the reason, and holds nobody up", async () => {
    const locks = new KeyedLocks();
    const log: string[] = [];
    const first = createWork("first", log);
    const controller = new AbortController();
    const running = locks.run(["b"], never, first.work);
    const waiting = locks.run(["a", "b"], controller.signal, () => log.push("second"));
    const last = locks.run(["b"], never, () => log.push("third"));
    const reason = new Fault("timeout", "Too slow");
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    // It held this one while it waited for the other.
    await locks.run(["a"], never, () => log.push("a is free"));
    first.end();
    await Promise.all([running, last]);
    expect(log).toEqual(["first begins", "a is free", "first ends", "third"]);
    expect(locks.size).toBe(0);
  });

  it("does not begin when its turn comes in the same moment", async () => {
    const locks = new KeyedLocks();
    const log: string[] = [];
    const controller = new AbortController();
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    void locks.run(["a"], never, () => ended);
    const second = locks.run(["a"], controller.signal, () => log.push("second"));
    const third = locks.run(["a"], never, () => log.push("third"));
    // After the first has let the second in, and before the second knows.
    void ended.then(() => controller.abort());
    end();
    await expect(second).rejects.toMatchObject({ code: "cancelled" });
    await third;
    expect(log).toEqual(["third"]);
    expect(locks.size).toBe(0);
  });

  it("finishes what has begun", async () => {
    const controller = new AbortController();
    const log: string[] = [];
    const { work, end } = createWork("first", log);
    const done = new KeyedLocks().run(["a"], controller.signal, work);
    controller.abort();
    end();
    expect(await done).toBe("first");
  });
});
