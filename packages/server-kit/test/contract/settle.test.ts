import { describe, expect, it } from "vitest";

import { settle } from "../../src/contract/settle.ts";

const fail = (): never => {
  throw new Error("no");
};
const toText = (value: unknown): string => `got ${String(value)}`;
const toWords = (thrown: unknown): string => `caught ${(thrown as Error).message}`;

describe("settle", () => {
  it("stays synchronous where everything is", () => {
    expect(settle(() => 1, toText, toWords)).toBe("got 1");
    expect(settle<number, string>(fail, toText, toWords)).toBe("caught no");
  });

  it("waits where it must", async () => {
    const result = settle(() => Promise.resolve(1), toText, toWords);
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe("got 1");
    expect(await settle(() => Promise.reject(new Error("late")), toText, toWords)).toBe("caught late");
  });

  it("does not catch what its own continuation throws", async () => {
    expect(() => settle(() => 1, fail, toWords)).toThrow("no");
    await expect(settle(() => Promise.resolve(1), fail, toWords)).rejects.toThrow("no");
  });
});
