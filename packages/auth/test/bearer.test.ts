import { describe, expect, it } from "vitest";

import { checkTokenForm, readBearer } from "../src/bearer.ts";

describe("the Authorization header", () => {
  it.each(["Bearer abc", "bearer abc", "BEARER   abc", "Bearer abc "])("%j carries a token", (header) => {
    expect(readBearer(header)).toEqual({ token: "abc" });
  });

  it.each([undefined, "", "Basic abc", "Bearerabc", "DPoP abc", "abc", "Basic a, Bearer b"])(
    "%j carries none",
    (header) => {
      expect(readBearer(header)).toBe("absent");
    },
  );

  it.each(["Bearer", "Bearer ", "Bearer a b", "Bearer a, Bearer b", "Bearer\tabc", "Bearer \u0000 x"])(
    "%j is malformed",
    (header) => {
      expect(readBearer(header)).toBe("malformed");
    },
  );
});

describe("the form of a token", () => {
  it.each(["a", "a.b.c", "a-b_c~d+e/f=="])("can be %s", (token) => {
    expect(() => checkTokenForm(token)).not.toThrow();
  });

  it.each(['"a"', "a=b", "ä", "a,b", "a\u0000"])("cannot be %j", (token) => {
    expect(() => checkTokenForm(token)).toThrow("The token is malformed");
  });

  it("is of limited length", () => {
    expect(() => checkTokenForm("x".repeat(16_384))).not.toThrow();
    expect(() => checkTokenForm("x".repeat(16_385))).toThrow("The token is malformed");
  });
});
