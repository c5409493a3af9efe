import { describe, expect, it } from "vitest";
import { complain, itJudges } from "./verdicts.ts";

const has = (name: string): Record<string, unknown> => ({
  properties: { [name]: { type: "string" } },
  required: [name],
});

describe("unevaluatedProperties", () => {
  itJudges("sees through allOf, anyOf, $ref, if and dependentSchemas", {
    schema: {
      $defs: { d: has("d") },
      allOf: [{ properties: { a: true } }],
      anyOf: [has("b"), has("c"), true],
      $ref: "#/$defs/d",
      if: has("e"),
      else: { properties: { f: true } },
      dependentSchemas: { g: { properties: { g: true, h: true } } },
      patternProperties: { "^x": true },
      unevaluatedProperties: false,
    },
    valid: [
      { d: "", a: 1 },
      { d: "", b: "", c: "" },
      { d: "", e: "" },
      { d: "", f: 1 },
      { d: "", g: 1, h: 1 },
      { d: "", x1: 1 },
    ],
    invalid: [
      { d: "", b: 1 },
      { d: "", e: "", f: 1 },
      { d: "", h: 1 },
      { d: "", other: 1 },
    ],
  });

  itJudges("does not count what not, or a failed branch, looked at", {
    schema: {
      not: { not: has("a") },
      oneOf: [{ properties: { b: { const: 1 }, c: true } }, { properties: { b: { const: 2 } } }],
      unevaluatedProperties: false,
    },
    valid: [],
    invalid: [{ a: "" }, { a: "", b: 2, c: 1 }],
  });

  itJudges("takes a schema, and hands what it evaluated upwards", {
    schema: {
      allOf: [{ properties: { a: true }, unevaluatedProperties: { type: "number" } }],
      unevaluatedProperties: false,
    },
    valid: [{ a: "", b: 1 }],
    invalid: [{ a: "", b: "" }],
  });

  itJudges("cannot see its cousins", {
    schema: { allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] },
    valid: [{}],
    invalid: [{ a: 1 }],
  });

  itJudges("keeps the levels of the value apart", {
    schema: {
      properties: { a: { properties: { b: true }, unevaluatedProperties: false } },
      unevaluatedProperties: false,
    },
    valid: [{ a: { b: 1 } }],
    invalid: [{ a: { a: 1 } }, { b: 1 }, { a: { b: 1 }, b: 1 }],
  });

  it("says which property", () => {
    expect(
      complain({ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1, b: 2 }),
    ).toBe("- b: unknown property");
  });

  it("keeps silent after another failure, whose properties would all look unknown", () => {
    expect(complain({ allOf: [has("a")], unevaluatedProperties: false }, { a: 1 })).toBe(
      "- a: expected string, got number",
    );
  });
});

describe("unevaluatedItems", () => {
  itJudges("starts after prefixItems and counts what contains matched", {
    schema: { prefixItems: [true], contains: { type: "string" }, minContains: 0, unevaluatedItems: false },
    valid: [[], [1], [1, "a"], ["a", "b"]],
    invalid: [
      [1, 2],
      [1, "a", 2],
    ],
  });

  itJudges("is satisfied by items, wherever they are said", {
    schema: { allOf: [{ items: true }], unevaluatedItems: false },
    valid: [[1, 2, 3]],
    invalid: [],
  });

  itJudges("takes a schema", {
    schema: { anyOf: [{ prefixItems: [{ const: 1 }] }, true], unevaluatedItems: { type: "string" } },
    valid: [[1, "a"], ["a"]],
    invalid: [[2], [1, 2]],
  });
});
