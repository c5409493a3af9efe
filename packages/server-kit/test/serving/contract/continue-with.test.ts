import { describe, expect, it } from "vitest";

import { continueWith } from "../../../src/serving/contract/continue-with.ts";

const fail = (): never => {
  throw new Error("no");
};
const toText = (value: unknown): string => `got ${String(value)}`;
const toWords = (thrown: unknown): string => `caught ${(thrown as Error).message}`;

describe("continueWith", () => {
  it("stays synchronous where everything is", () => {
    expect(continueWith(() => 1, toText, toWords)).toBe("got 1");
    expect(continueWith<number, string>(fail, toText, toWords)).toBe("caught no");
  });

  it("waits where it must", async () => {
    const result = continueWith(() => Promise.resolve(1), toText, toWords);
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe("got 1");
    expect(await continueWith(() => Promise.reject(new Error("late")), toText, toWords)).toBe("caught late");
  });

  it("does not catch what its own continuation throws", async () => {
    expect(() => continueWith(() => 1, fail, toWords)).toThrow("no");
    await expect(continueWith(() => Promise.resolve(1), fail, toWords)).rejects.toThrow("no");
  });
});
