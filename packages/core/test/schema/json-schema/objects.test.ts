import { describe, expect, it } from "vitest";
import { complain, DRAFT_07, itJudges } from "./verdicts.ts";

describe("objects", () => {
  itJudges("minProperties and maxProperties", {
    schema: { minProperties: 1, maxProperties: 2 },
    valid: [{ a: 1 }, { a: 1, b: 2 }, []],
    invalid: [{}, { a: undefined }, { a: 1, b: 2, c: 3 }],
  });

  itJudges("propertyNames judges names", {
    schema: { propertyNames: { pattern: "^[a-z]+$", maxLength: 3 } },
    valid: [{}, { abc: 1 }],
    invalid: [{ A: 1 }, { abcd: 1 }],
  });

  itJudges("dependentRequired and dependentSchemas bind when the name is there", {
    schema: {
      dependentRequired: { card: ["address"] },
      dependentSchemas: { card: { properties: { amount: { type: "number" } } } },
    },
    valid: [{}, { amount: "x" }, { card: 1, address: 2, amount: 3 }],
    invalid: [{ card: 1 }, { card: 1, address: 2, amount: "x" }],
  });

  itJudges("draft-07: dependencies takes both forms", {
    schema: { $schema: DRAFT_07, dependencies: { a: ["b"], c: { required: ["d"] }, e: false } },
    valid: [{}, { a: 1, b: 2 }, { c: 1, d: 2 }],
    invalid: [{ a: 1 }, { c: 1 }, { e: 1 }],
  });

  it("say what is missing, and why", () => {
    expect(complain({ dependentRequired: { card: ["address"] } }, { card: 1 })).toBe(
      '- address: is required when "card" is present',
    );
    expect(complain({ propertyNames: { maxLength: 2 } }, { abc: 1 })).toBe(
      "- abc: property name must have at most 2 characters",
    );
    expect(complain({ minProperties: 1 }, {})).toBe("- (root): must have at least 1 property, has 0");
  });
});
