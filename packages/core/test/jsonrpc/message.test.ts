import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isObject, isRequestId } from "../../src/jsonrpc/message.ts";

describe("isRequestId", () => {
  it("takes any string and any safe integer", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.maxSafeInteger()), (id) => {
        expect(isRequestId(id)).toBe(true);
      }),
    );
  });

  it.each([null, undefined, 0.5, Number.NaN, Infinity, 2 ** 53, [], {}, true, 1n])("refuses %s", (id) => {
    expect(isRequestId(id)).toBe(false);
  });
});

describe("isObject", () => {
  it("takes objects, and neither arrays nor null", () => {
    expect([{}, { a: 1 }, Object.create(null)].map(isObject)).toEqual([true, true, true]);
    expect([null, [], "text", 1, undefined, true].some(isObject)).toBe(false);
  });
});
