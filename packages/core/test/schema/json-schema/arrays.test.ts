import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/schema/json-schema/compile.ts";
import { complain, DRAFT_07, itJudges } from "./verdicts.ts";

describe("arrays", () => {
  itJudges("minItems and maxItems", {
    schema: { minItems: 1, maxItems: 2 },
    valid: [[1], [1, 2], "abc"],
    invalid: [[], [1, 2, 3]],
  });

  itJudges("prefixItems binds places, items the rest", {
    schema: { prefixItems: [{ type: "string" }, true], items: { type: "number" } },
    valid: [[], ["a"], ["a", null, 1, 2]],
    invalid: [[1], ["a", null, "b"]],
  });

  itJudges("items: false closes a tuple", {
    schema: { prefixItems: [true], items: false },
    valid: [[], [1]],
    invalid: [[1, 2]],
  });

  itJudges("contains wants one match", {
    schema: { contains: { const: 5 } },
    valid: [[1, 5]],
    invalid: [[], [1]],
  });

  itJudges("contains between bounds", {
    schema: { contains: { const: 5 }, minContains: 2, maxContains: 3 },
    valid: [
      [5, 5],
      [5, 1, 5, 5],
    ],
    invalid: [[5], [5, 5, 5, 5]],
  });

  itJudges("minContains 0 asks for nothing", {
    schema: { contains: { const: 5 }, minContains: 0 },
    valid: [[], [1]],
    invalid: [],
  });

  itJudges("uniqueItems compares by value", {
    schema: { uniqueItems: true },
    valid: [
      [1, true, "1", null, 0, false],
      [{ a: 1 }, '{"a":1}'],
      [[1], [2]],
      [{ a: 1 }, { a: 2 }],
    ],
    invalid: [
      [1, 1.0],
      ["a", "b", "a"],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[1], [1]],
      [0, -0],
    ],
  });

  it("finds the one repetition among many items without comparing each with each", () => {
    const items = Array.from({ length: 200_000 }, (_, index) => (index % 2 === 0 ? index : { index }));
    const validate = compileJsonSchema({ uniqueItems: true }, { evaluations: 1_000_000 });
    expect(validate(items)).toBeUndefined();
    expect(validate([...items, { index: 7 }])?.[0]?.message).toBe(
      "items must be unique, but item 200000 repeats item 7",
    );
  });

  itJudges("draft-07: items as a tuple, additionalItems for the rest", {
    schema: { $schema: DRAFT_07, items: [{ type: "string" }], additionalItems: { type: "number" } },
    valid: [["a", 1], []],
    invalid: [["a", "b"], [1]],
  });

  itJudges("draft-07: prefixItems means nothing", {
    schema: { $schema: DRAFT_07, prefixItems: [false] },
    valid: [[1]],
    invalid: [],
  });

  it("say the place and the count", () => {
    expect(complain({ items: { type: "string" } }, ["a", 1, "b", 2])).toBe(
      "- [1]: expected string, got number\n- [3]: expected string, got number",
    );
    expect(complain({ maxItems: 1 }, [1, 2])).toBe("- (root): must have at most 1 item, has 2");
    expect(complain({ contains: { const: 5 } }, [1])).toBe(
      '- (root): must contain at least 1 matching {"const":5}, has 0',
    );
  });
});
