import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import {
  fromCursor,
  isCount,
  isListOf,
  isText,
  type PlaceCheck,
  toCursor,
} from "../../../src/domain/paging/cursor.ts";
import type { JsonValue } from "../../../src/domain/text/json-value.ts";

const isAnything: PlaceCheck<unknown> = (_value): _value is unknown => true;

const ABOUT = { path: "/data", pattern: "*.ts" };

const refusal = (cursor: string, about: JsonValue = ABOUT): unknown => {
  try {
    return { accepted: fromCursor(cursor, about, isAnything) };
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
      expect(fromCursor(cursor, about, isAnything)).toEqual(JSON.parse(JSON.stringify(place)));
    }),
  );
});

it("does not mind the order of arguments, nor those without a value", () => {
  const cursor = toCursor({ after: "a.ts" }, ABOUT);
  expect(fromCursor(cursor, { pattern: "*.ts", limit: undefined, path: "/data" }, isAnything)).toEqual({
    after: "a.ts",
  });
});

it("a cursor is refused with other arguments", () => {
  const cursor = toCursor(7, ABOUT);
  const fault = refusal(cursor, { ...ABOUT, path: "/other" });
  expect(fault).toBeInstanceOf(Fault);
  expect(fault).toMatchObject({
    code: "invalid_input",
    message: "This cursor does not continue a call with these arguments",
    hint: "Call again without cursor, or with the arguments of the call that returned it.",
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

describe("what was forged well", () => {
  const PLAIN: readonly JsonValue[] = [null, true, 0, 7, -1, 1.5, 1e300, "", "x", "__proto__"];
  const LISTS: readonly JsonValue[] = [[], [7], [7, 7], [7, -1], ["x", 7], [7, "x"], [[7], [7]], [7, 7, 7]];
  const OBJECTS = ["{}", '{"length":2}', '{"constructor":1}', '{"__proto__":[7,7]}'].map(
    (text) => JSON.parse(text) as JsonValue,
  );
  const PLACES = [...PLAIN, ...LISTS, ...OBJECTS];
  const accepted = (isPlace: PlaceCheck<unknown>): unknown[] =>
    PLACES.filter((place) => {
      try {
        fromCursor(toCursor(place, ABOUT), ABOUT, isPlace);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ name: "Fault", code: "invalid_input" });
        return false;
      }
    });

  it("is accepted only if it is what a tool may have put in", () => {
    expect(accepted(isCount)).toEqual([0, 7]);
    expect(accepted(isText)).toEqual(["", "x", "__proto__"]);
    expect(accepted(isListOf(isCount, isCount))).toEqual([[7, 7]]);
    expect(accepted(isListOf(isText, isCount))).toEqual([["x", 7]]);
  });

  it("is looked at after it was looked up, too", () => {
    const cursor = toCursor("x".repeat(100), ABOUT, [1]);
    const expand = (): JsonValue[] => ["x".repeat(100)];
    expect(fromCursor(cursor, ABOUT, isText, expand)).toHaveLength(100);
    expect(() => fromCursor(cursor, ABOUT, isCount, expand)).toThrow(Fault);
  });
});

it("is not made if it could not be read", () => {
  expect(() => toCursor("x".repeat(30_000), ABOUT)).toThrow(RangeError);
  expect(fromCursor(toCursor("x".repeat(20_000), ABOUT), ABOUT, isText)).toHaveLength(20_000);
});

it.each([[0], [-3], [4_294_967_296], [[120_000, 3]], [[7, "a1b2-c3"]], [[1, 2, 3, 4]], ["next"]])(
  "of %j can be copied by hand",
  (place) => {
    const cursor = toCursor(place, ABOUT);
    expect(cursor.length).toBeLessThanOrEqual(LONGEST_BY_HAND);
    expect(fromCursor(cursor, ABOUT, isAnything)).toEqual(place);
  },
);
