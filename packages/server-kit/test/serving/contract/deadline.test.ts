import { setTimeout as sleepUntil } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { Deadline } from "../../../src/serving/contract/deadline.ts";
import { Fault } from "../../../src/domain/errors/fault.ts";
import { Gate, skipWaits, sleep } from "./sample.ts";

const never = new AbortController().signal;
const deadlineOf = (ms: number, outer: AbortSignal = never): Deadline => new Deadline(ms, { stop: outer });
const LONG = 60_000;

const watch = <T>(deadline: Deadline, work: Promise<T>): Promise<T> =>
  deadline.watch(
    work,
    (result) => result,
    (thrown) => {
      throw thrown;
    },
  );

describe("work under a deadline", () => {
  it("gives its result, or its own failure", async () => {
    expect(await watch(deadlineOf(LONG), Promise.resolve(7))).toBe(7);
    await expect(watch(deadlineOf(LONG), Promise.reject(new Error("no")))).rejects.toThrow("no");
  });

  it("is told to stop, and whatever it says then is a timeout", async () => {
    const deadline = deadlineOf(20);
    const work = sleepUntil(LONG, undefined, { signal: deadline.signal });
    await expect(watch(deadline, work)).rejects.toMatchObject({
      name: "Fault",
      code: "timeout",
      retryable: true,
      message: "Stopped: this was not done within 0.02 seconds.",
      details: { timeoutMs: 20 },
    });
    expect(deadline.signal.reason).toMatchObject({ code: "timeout" });
  });

  it("may say something more precise about it", async () => {
    const deadline = deadlineOf(20);
    const work = sleepUntil(LONG, undefined, { signal: deadline.signal }).catch(() => {
      throw new Fault("timeout", "3 of 5 files were read.");
    });
    await expect(watch(deadline, work)).rejects.toThrow("3 of 5 files were read.");
  });

  it("goes on once, with its result or with its failure", async () => {
    const gate = new Gate();
    const said: unknown[] = [];
    const say = (what: unknown): string => `said ${said.push(what)}`;
    expect(await deadlineOf(LONG).watch(Promise.resolve(7), say, say)).toBe("said 1");
    expect(await deadlineOf(20).watch(gate.opened, say, say)).toBe("said 2");
    gate.open();
    await sleep(20);
    expect(said).toEqual([7, expect.objectContaining({ code: "timeout" })]);
    await expect(deadlineOf(LONG).watch(Promise.resolve("{"), JSON.parse, say)).rejects.toThrow(SyntaxError);
  });

  it("has no deadline any more once it is done", async () => {
    const deadline = deadlineOf(20);
    await watch(deadline, Promise.resolve());
    await sleep(60);
    expect(deadline.signal.aborted).toBe(false);
  });

  it("may have more time than a timer can hold", async () => {
    const deadline = deadlineOf(2 ** 40);
    expect(await watch(deadline, sleepUntil(50, "done"))).toBe("done");
    expect(deadline.signal.aborted).toBe(false);
  });
});

describe("the signal", () => {
  it("follows the client, and says so in our words", () => {
    const client = new AbortController();
    const { signal } = deadlineOf(LONG, client.signal);
    expect(signal.aborted).toBe(false);
    const cause = new Error("The client cancelled the request");
    client.abort(cause);
    expect(signal.reason).toMatchObject({ name: "Fault", code: "cancelled", cause });
  });

  it("is aborted from the start if the client was gone by then", () => {
    expect(deadlineOf(LONG, AbortSignal.abort()).signal.reason).toMatchObject({ code: "cancelled" });
  });

  it("explains what the work throws, even if it never looked at the signal", async () => {
    const client = new AbortController();
    client.abort();
    const work = Promise.reject(new Error("a question was withdrawn"));
    await expect(watch(deadlineOf(LONG, client.signal), work)).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("while somebody is asked", () => {
  it("time stands still, and goes on afterwards", async () => {
    skipWaits();
    const deadline = deadlineOf(100);
    const work = async (): Promise<void> => {
      await deadline.pausedFor(() => sleep(300));
      await new Promise((_, reject) => deadline.signal.addEventListener("abort", reject));
    };
    const startedAt = performance.now();
    await expect(watch(deadline, work())).rejects.toMatchObject({ code: "timeout" });
    expect(performance.now() - startedAt).toBe(400);
  });

  it("the answer may come long after the deadline would have been", async () => {
    skipWaits();
    const deadline = deadlineOf(30);
    const work = async (): Promise<string> => {
      await sleep(1);
      const both = [1, 150].map((ms) => deadline.pausedFor(() => sleep(ms).then(() => ms)));
      return (await Promise.all(both)).join();
    };
    expect(await watch(deadline, work())).toBe("1,150");
    expect(deadline.signal.aborted).toBe(false);
  });

  it("questions that nobody waits for yet are no unhandled failures", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    const deadline = deadlineOf(LONG);
    const first = deadline.pausedFor(() => Promise.reject(new Error("first")));
    const second = deadline.pausedFor(() => Promise.reject(new Error("second")));
    await sleep(10);
    process.off("unhandledRejection", note);
    await expect(first).rejects.toThrow("first");
    await expect(second).rejects.toThrow("second");
    expect(unhandled).toEqual([]);
  });

  it("nobody is asked any more once the time is over", async () => {
    const deadline = deadlineOf(10);
    const gate = new Gate();
    await expect(watch(deadline, gate.opened)).rejects.toMatchObject({ code: "timeout" });
    const ask = (): Promise<never> => expect.unreachable();
    await expect(deadline.pausedFor(ask)).rejects.toMatchObject({ code: "timeout" });
    gate.open();
  });
});
