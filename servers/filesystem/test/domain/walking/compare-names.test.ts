import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareNames } from "../../../src/domain/walking/compare-names.ts";

const name = fc.string({
  unit: fc.constantFrom("a", "b", "~", "é", "\uE000", "\uFFFD", "😀", "𐀀"),
  maxLength: 4,
});

describe("compareNames", () => {
  it("orders by the bytes of UTF-8", () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(Math.sign(compareNames(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
