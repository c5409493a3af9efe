import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { toBase64 } from "../../src/values/base64.ts";

describe("toBase64", () => {
  const bytes = fc.uint8Array({ maxLength: 100 });

  it("encodes exactly the bytes of the view it is given", () => {
    fc.assert(
      fc.property(bytes, fc.nat({ max: 10 }), (given, offset) => {
        const view = given.subarray(Math.min(offset, given.length));
        expect([...Buffer.from(toBase64(view), "base64")]).toEqual([...view]);
      }),
    );
  });

  it("gives the same where there is no Buffer, for large blobs too", () => {
    const large = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    const expected = toBase64(large);
    vi.stubGlobal("Buffer", undefined);
    try {
      expect(toBase64(large) === expected).toBe(true);
      expect(toBase64(new Uint8Array())).toBe("");
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
