import { describe, expect, it } from "vitest";

import { digestOfArguments } from "../../../src/serving/contract/arguments-digest.ts";

const nest = (depth: number): Record<string, unknown> =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`) as Record<string, unknown>;

describe("the digest of arguments", () => {
  it("is the same in whatever order they come", () => {
    const digest = digestOfArguments({ a: 1, b: { c: [1, 2], d: null } });
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    expect(digestOfArguments({ b: { d: null, c: [1, 2] }, a: 1 })).toBe(digest);
  });

  it.each([{}, { a: 2 }, { a: "1" }, { a: 1, b: 1 }, { a: [1] }])("differs for %j", (other) => {
    expect(digestOfArguments(other)).not.toBe(digestOfArguments({ a: 1 }));
  });

  it("is missing where nobody could follow", () => {
    expect(digestOfArguments(nest(100))).toMatch(/^[0-9a-f]{32}$/);
    expect(digestOfArguments(nest(100_000))).toBeUndefined();
  });

  it("does not hide other failures", () => {
    expect(() => digestOfArguments({ a: 1n })).toThrow(TypeError);
  });
});
