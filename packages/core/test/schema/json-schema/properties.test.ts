import { describe, expect, it } from "vitest";
import { complain, itJudges } from "./verdicts.ts";

const parse = (text: string): unknown => JSON.parse(text);

describe("properties", () => {
  itJudges("judges what is there and asks for what is required", {
    schema: { properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a", "z"] },
    valid: [{ a: "", z: null }, { a: "", b: 1, z: 0, other: true }, "not an object", []],
    invalid: [{}, { a: "" }, { z: 1 }, { a: 1, z: 1 }, { a: "", z: 1, b: "1" }],
  });

  itJudges("undefined is absence", {
    schema: {
      properties: { a: { type: "string" } },
      required: ["b"],
      additionalProperties: false,
      patternProperties: { "^b$": true },
    },
    valid: [{ a: undefined, b: 1, c: undefined }],
    invalid: [{ b: undefined }, { a: undefined }],
  });

  itJudges("additionalProperties: false closes the object", {
    schema: { properties: { a: true, b: true }, additionalProperties: false },
    valid: [{}, { a: 1 }, { a: 1, b: 2 }, { a: 1, c: undefined }],
    invalid: [{ c: 1 }, { a: 1, b: 2, c: 3 }],
  });

  itJudges("required alone does not make a name known", {
    schema: { required: ["a"], additionalProperties: false },
    valid: [],
    invalid: [{}, { a: 1 }],
  });

  itJudges("patternProperties binds beside properties; the rest is additional", {
    schema: {
      properties: { ab: { type: "number" } },
      patternProperties: { "^a": { minimum: 1 }, b$: { maximum: 9 } },
      additionalProperties: { type: "string" },
    },
    valid: [{ ab: 5, c: "x", a: "not a number" }],
    invalid: [{ ab: 0 }, { ab: 10 }, { ab: "5" }, { c: 1 }, { xb: 10 }],
  });

  itJudges("names that every object inherits count only where they are its own", {
    schema: { required: ["constructor", "toString", "__proto__"] },
    valid: [parse('{"constructor":1,"toString":2,"__proto__":3}')],
    invalid: [{}, parse('{"constructor":1,"toString":2}'), parse('{"toString":2,"__proto__":3}')],
  });

  itJudges("inherited names as properties", {
    schema: parse(
      '{"properties":{"constructor":{"type":"string"},"__proto__":{"type":"number"}},"additionalProperties":false}',
    ) as Record<string, unknown>,
    valid: [{}, parse('{"constructor":"a","__proto__":1}'), Object.create(null)],
    invalid: [{ constructor: 1 }, parse('{"__proto__":"a"}'), { toString: 1 }, { valueOf: 1 }],
  });

  class Point {
    readonly x: number = 1;
    get y(): number {
      return 2;
    }
  }
  itJudges("what a class provides is not there: it would not be sent", {
    schema: { required: ["y"] },
    valid: [{ y: 2 }],
    invalid: [new Point()],
  });

  itJudges("enumerable inherited names are not there either", {
    schema: { properties: { own: true }, additionalProperties: false, required: ["own"] },
    valid: [Object.assign(Object.create({ inherited: 1 }), { own: 1 })],
    invalid: [Object.create({ own: 1 })],
  });

  itJudges("nor where every name must find its schema", {
    schema: { additionalProperties: { type: "string" } },
    valid: [Object.create({ inherited: 1 })],
    invalid: [Object.assign(Object.create({ inherited: 1 }), { own: 1 })],
  });

  const closed = {
    type: "object",
    properties: { path: { type: "string" }, head: { type: "integer" }, tail: { type: "integer" } },
    required: ["path"],
    additionalProperties: false,
  };

  it("name every missing and unknown property, with the closest known name", () => {
    expect(complain(closed, { paht: "a", head: 1 })).toBe(
      '- path: is required\n- paht: unknown property; did you mean "path"? Known: path, head, tail',
    );
    expect(complain(closed, { path: "a", quiet: true })).toBe(
      "- quiet: unknown property; known: path, head, tail",
    );
    expect(complain({ additionalProperties: false }, { a: 1 })).toBe(
      "- a: unknown property; none are allowed",
    );
    expect(complain({ properties: { a: false } }, { a: 1 })).toBe("- a: is not allowed");
  });

  it("give the whole path", () => {
    const schema = { properties: { items: { items: { properties: { name: { type: "string" } } } } } };
    expect(complain(schema, { items: [{ name: "a" }, { name: 1 }] })).toBe(
      "- items[1].name: expected string, got number",
    );
  });
});
