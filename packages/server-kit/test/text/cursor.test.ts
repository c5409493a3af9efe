import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Fault } from "../../src/errors/fault.ts";
import { parseCursor, toCursor } from "../../src/text/cursor.ts";
import type { JsonValue } from "../../src/text/json-value.ts";

const ABOUT = { path: "/data", pattern: "*.ts" };

const refusal = (cursor: string, about: JsonValue = ABOUT): unknown => {
  try {
    return { accepted: parseCursor(cursor, about) };
  } catch (error) {
    return error;
  }
};

const encode = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString("base64url");

it("gives the place back", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (place, about) => {
      const cursor = toCursor(place, about);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(parseCursor(cursor, about)).toEqual(JSON.parse(JSON.stringify(place)));
    }),
  );
});

it("does not mind the order of arguments, nor those without a value", () => {
  const cursor = toCursor({ after: "a.ts" }, ABOUT);
  expect(parseCursor(cursor, { pattern: "*.ts", limit: undefined, path: "/data" })).toEqual({
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
  const [version, digest] = JSON.parse(Buffer.from(toCursor(7, ABOUT), "base64url").toString()) as [
    number,
    string,
  ];

  it.each([
    ["nothing", ""],
    ["words", "next page please"],
    ["a number", encode(7)],
    ["null", encode(null)],
    ["an object", encode({ 0: version, 1: digest, 2: 7, length: 3 })],
    ["too little", encode([version, digest])],
    ["too much", encode([version, digest, 7, 7])],
    ["another version", encode([version + 1, digest, 7])],
    ["an edited place", encode([version, digest, 8])],
    ["no digest", encode([version, null, 7])],
    ["half a cursor", toCursor(7, ABOUT).slice(0, -4)],
    ["deep nesting", Buffer.from("[".repeat(20_000)).toString("base64url")],
    ["a huge one", "A".repeat(10_000_000)],
  ])("%s is refused", (_name, cursor) => {
    expect(refusal(cursor)).toMatchObject({ name: "Fault", code: "invalid_input" });
  });

  it("a whole one of the same parts is accepted", () => {
    expect(refusal(encode([version, digest, 7]))).toEqual({ accepted: 7 });
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
  expect(parseCursor(toCursor("x".repeat(20_000), ABOUT), ABOUT)).toHaveLength(20_000);
});
