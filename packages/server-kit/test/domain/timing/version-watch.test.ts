import { describe, expect, it } from "vitest";

import { VersionWatch } from "../../../src/domain/timing/version-watch.ts";

/** Answers that a test gives one by one. */
function createWatch(): {
  watch: VersionWatch;
  answer: (version: string | Error) => Promise<void>;
  told: () => number;
} {
  const asked: ((version: string | Error) => void)[] = [];
  let told = 0;
  const watch = new VersionWatch(
    () =>
      new Promise((resolve, reject) => {
        asked.push((version) => (typeof version === "string" ? resolve(version) : reject(version)));
      }),
    () => (told += 1),
  );
  const answer = async (version: string | Error): Promise<void> => {
    const next = asked.shift();
    if (!next) throw new Error("Nobody asks");
    next(version);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { watch, answer, told: () => told };
}

describe("VersionWatch", () => {
  it("tells of every other version but the first", async () => {
    const { watch, answer, told } = createWatch();
    for (const [version, count] of [
      ["1", 0],
      ["1", 0],
      ["2", 1],
      ["2", 1],
      ["1", 2],
    ] as const) {
      watch.look();
      await answer(version);
      expect(told()).toBe(count);
    }
  });

  it("looks once more if it is asked to while it looks, and no more often", async () => {
    const { watch, answer, told } = createWatch();
    for (let at = 0; at < 5; at += 1) watch.look();
    await answer("1");
    await answer("2");
    expect(told()).toBe(1);
    await expect(answer("3")).rejects.toThrow("Nobody asks");
  });

  it("tells when it could not look for a while", async () => {
    const { watch, answer, told } = createWatch();
    watch.look();
    await answer(new Error("locked"));
    watch.look();
    await answer("1");
    expect(told()).toBe(1);
    watch.look();
    await answer(new Error("locked"));
    expect(told()).toBe(1);
    watch.close();
  });

  it("tells nothing once it is closed, not even of a look that it has begun", async () => {
    const { watch, answer, told } = createWatch();
    watch.look();
    await answer("1");
    watch.look();
    watch.look();
    watch.close();
    await answer("2");
    expect(told()).toBe(0);
    await expect(answer("3")).rejects.toThrow("Nobody asks");
  });
});
