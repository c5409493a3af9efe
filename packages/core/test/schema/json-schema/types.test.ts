import { describe, expect, it } from "vitest";
import { complain, itJudges } from "./verdicts.ts";

const SAMPLES: Record<string, readonly unknown[]> = {
  null: [null],
  boolean: [true, false],
  integer: [0, -3, 1.0, 1e300],
  string: ["", "a"],
  array: [[], [1]],
  object: [{}, { a: 1 }],
};

describe("type", () => {
  for (const [type, valid] of Object.entries(SAMPLES)) {
    const invalid = Object.entries(SAMPLES).flatMap(([other, values]) => (other === type ? [] : values));
    itJudges(type, { schema: { type }, valid, invalid });
  }

  itJudges("number takes integers and fractions", {
    schema: { type: "number" },
    valid: [1, 1.5, -0],
    invalid: ["1", null, [1]],
  });

  itJudges("a list of types takes any of them", {
    schema: { type: ["integer", "null"] },
    valid: [1, null],
    invalid: [1.5, "1"],
  });

  it("names what was expected and what came, by type", () => {
    expect(complain({ type: "string" }, 5)).toBe("- (root): expected string, got number");
    expect(complain({ type: ["string", "null"] }, [])).toBe("- (root): expected string or null, got array");
    expect(complain({ type: "integer" }, 1.5)).toBe("- (root): expected integer, got fractional number");
    expect(complain({ type: "object" }, null)).toBe("- (root): expected object, got null");
  });

  it("says nothing more about a value of the wrong type", () => {
    expect(complain({ type: "string", enum: ["a"], not: { type: "number" } }, 5)).toBe(
      "- (root): expected string, got number",
    );
  });
});
