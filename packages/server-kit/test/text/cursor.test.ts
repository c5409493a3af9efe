import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Fault } from "../../src/errors/fault.ts";
import { fromCursor, toCursor } from "../../src/text/cursor.ts";
import type { JsonValue } from "../../src/text/json-value.ts";

const ABOUT = { path: "/data", pattern: "*.ts" };

const refusal = (cursor: string, about: JsonValue = ABOUT): unknown => {
  try {
    return { accepted: fromCursor(cursor, about) };
  } catch (error) {
    return error;
  }
};

const LONGEST_BY_HAND = 24;

it("gives the place back", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (place, about) => {
      const cursor = toCursor(place, about);
      expect(cursor).toMatch(/^[\w.~-]+$/);
      expect(fromCursor(cursor, about)).toEqual(JSON.parse(JSON.stringify(place)));
    }),
  );
});

it("does not mind the order of arguments, nor those without a value", () => {
  const cursor = toCursor({ after: "a.ts" }, ABOUT);
  expect(fromCursor(cursor, { pattern: "*.ts", limit: undefined, path: "/data" })).toEqual({
    after: "a.ts",
  });
});

it("is refused with other arguments", () => {
  const cursor = toCursor(7, ABOUT);
  const fault = refusal(cursor, { ...ABOUT, path: "/other" });
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({
    code: "invalid_input",
    message: "This cursor does not continue a call with these arguments",
    hint: "Call again without cursor, or with the arguments that it was given for.",
  });
});

describe("what is no cursor of ours", () => {
  const cursor = toCursor(7, ABOUT);
  const digest = cursor.slice(0, 6);
  const encode = (text: string): string => `${digest}~${Buffer.from(text).toString("base64url")}`;

  it.each([
    ["nothing", ""],
    ["words", "next page please"],
    ["no place", digest],
    ["no number", `${digest}!`],
    ["an edited place", `${digest}8`],
    ["a list for a number", `${digest}7.`],
    ["a list with a gap", `${digest}7..7.`],
    ["no JSON", encode("{")],
    ["another place", encode("8")],
    ["another digest", `${digest.toLowerCase()}x7`],
    ["half a cursor", toCursor([7, 12345], ABOUT).slice(0, -4)],
    ["deep nesting", encode("[".repeat(20_000))],
    ["deeper than the stack", encode("[".repeat(12_000) + "]".repeat(12_000))],
    ["a huge one", "A".repeat(10_000_000)],
  ])("%s is refused", (_name, given) => {
    expect(refusal(given)).toMatchObject({ name: "Fault", code: "invalid_input" });
  });

  it("a whole one of the same parts is accepted", () => {
    expect(refusal(`${digest}7`)).toEqual({ accepted: 7 });
    expect(refusal(encode("7"))).toEqual({ accepted: 7 });
  });

  it("anything else is refused, and nothing breaks", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(refusal(text)).toBeInstanceOf(Fault);
      }),
    );
  });
});

it("is not made if it could not be read", () => {
  expect(() => toCursor("x".repeat(30_000), ABOUT)).toThrow(RangeError);
  expect(fromCursor(toCursor("x".repeat(20_000), ABOUT), ABOUT)).toHaveLength(20_000);
});

it.each([[0], [-3], [4_294_967_296], [[120_000, 3]], [[7, "a1b2-c3"]], [[1, 2, 3, 4]], ["next"]])(
  "of %j can be copied by hand",
  (place) => {
    const cursor = toCursor(place, ABOUT);
    expect(cursor.length).toBeLessThanOrEqual(LONGEST_BY_HAND);
    expect(fromCursor(cursor, ABOUT)).toEqual(place);
  },
);
