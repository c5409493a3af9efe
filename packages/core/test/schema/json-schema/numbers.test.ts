import { describe, expect, it } from "vitest";
import { complain, itJudges } from "./verdicts.ts";

describe("numbers", () => {
  itJudges("minimum and maximum include their bound", {
    schema: { minimum: -1, maximum: 2.5 },
    valid: [-1, 0, 2.5, "far"],
    invalid: [-1.1, 2.6],
  });

  itJudges("the exclusive bounds do not", {
    schema: { exclusiveMinimum: 0, exclusiveMaximum: 1 },
    valid: [0.1, 0.999],
    invalid: [0, 1],
  });

  itJudges("multipleOf is exact for decimal fractions", {
    schema: { multipleOf: 0.01 },
    valid: [0, 0.07, 1.13, 4.35, 19.99, -0.29, 1e20, 3],
    invalid: [0.075, 0.001, 1e-7],
  });

  itJudges("multipleOf brings both numbers to one scale", {
    schema: { multipleOf: 0.25 },
    valid: [0.5, 3, 1e21, 0.75],
    invalid: [0.3, 0.05],
  });

  itJudges("multipleOf is exact at both ends of the range", {
    schema: { multipleOf: 0.123456789 },
    valid: [0.123456789, 0.246913578],
    invalid: [1e308, 5e-324, Infinity],
  });

  itJudges("multipleOf of integers", { schema: { multipleOf: 3 }, valid: [9, -3, 0], invalid: [10, 1.5] });

  it("say the bound", () => {
    expect(complain({ minimum: 1 }, 0)).toBe("- (root): must be at least 1");
    expect(complain({ maximum: 10 }, 11)).toBe("- (root): must be at most 10");
    expect(complain({ exclusiveMinimum: 1 }, 1)).toBe("- (root): must be greater than 1");
    expect(complain({ exclusiveMaximum: 1 }, 1)).toBe("- (root): must be less than 1");
    expect(complain({ multipleOf: 0.5 }, 0.7)).toBe("- (root): must be a multiple of 0.5");
  });
});
