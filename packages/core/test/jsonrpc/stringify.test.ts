import { describe, expect, it } from "vitest";
import { INVALID_PARAMS } from "../../src/jsonrpc/error.ts";
import { stringify } from "../../src/jsonrpc/stringify.ts";

const DEPTH = 100_000;

describe("stringify", () => {
  it("writes JSON", () => {
    expect(stringify(() => ({ a: [1] }))).toBe('{"a":[1]}');
  });

  it("refuses what is nested deeper than the stack", () => {
    const deep = JSON.parse("[".repeat(DEPTH) + "]".repeat(DEPTH)) as unknown;
    expect(() => stringify(() => deep)).toThrow(expect.objectContaining({ code: INVALID_PARAMS }));
  });

  it("passes on what else goes wrong", () => {
    const fail = (): never => {
      throw new TypeError("odd");
    };
    expect(() => stringify(fail)).toThrow(TypeError);
  });
});
