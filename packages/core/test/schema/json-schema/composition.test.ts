import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../src/schema/json-schema/schema.ts";
import { complain, itJudges } from "./verdicts.ts";

// From text, because an object with a `then` of its own looks like a promise to the linter.
const parse = (text: string): JsonSchema => JSON.parse(text) as JsonSchema;
const STRING = { type: "string" };
const SHORT = { maxLength: 2 };

describe("composition", () => {
  itJudges("allOf wants all", { schema: { allOf: [STRING, SHORT] }, valid: ["ab"], invalid: ["abc", 1] });
  itJudges("anyOf wants one", {
    schema: { anyOf: [STRING, { minimum: 2 }] },
    valid: ["a", 2, null],
    invalid: [1],
  });
  itJudges("oneOf wants exactly one", {
    schema: { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] },
    valid: [2, 3, 4],
    invalid: [6, 1, "both"],
  });
  itJudges("not turns the verdict", { schema: { not: STRING }, valid: [1, null], invalid: ["a"] });
  itJudges("if chooses between then and else", {
    schema: parse('{"if":{"const":1},"then":false,"else":{"type":"string"}}'),
    valid: ["a"],
    invalid: [1, 2],
  });
  itJudges("then and else mean nothing without if", {
    schema: parse('{"then":false,"else":false}'),
    valid: [1],
    invalid: [],
  });
  itJudges("booleans are schemas", {
    schema: { properties: { yes: true, no: false } },
    valid: [{ yes: 1 }, {}],
    invalid: [{ no: 1 }],
  });

  it("say why", () => {
    expect(complain({ oneOf: [{ multipleOf: 2 }, { minimum: 9 }, { multipleOf: 3 }] }, 6)).toBe(
      "- (root): must match exactly one of 3 alternatives, but matches 1 and 3",
    );
    expect(complain({ not: { required: ["a"] } }, { a: 1 })).toBe(
      '- (root): must not match {"required":["a"]}',
    );
    expect(complain(false, 1)).toBe("- (root): is not allowed");
    expect(complain({ allOf: [{ minimum: 5 }, { multipleOf: 2 }] }, 3)).toBe(
      "- (root): must be at least 5\n- (root): must be a multiple of 2",
    );
  });
});
