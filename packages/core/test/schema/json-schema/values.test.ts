import { describe, expect, it } from "vitest";
import { complain, itJudges } from "./verdicts.ts";

describe("enum and const", () => {
  itJudges("compare by value, whatever the order of names", {
    schema: { enum: [1, "1", null, { a: 1, b: [true] }] },
    valid: [1, 1.0, "1", null, { b: [true], a: 1 }],
    invalid: [true, 0, {}, { a: 1 }, { a: 1, b: [1] }, [1], '{"a":1,"b":[true]}'],
  });

  itJudges("tell false from 0 and null from absence", {
    schema: { const: { a: false } },
    valid: [{ a: false }, { a: false, b: undefined }],
    invalid: [{ a: 0 }, { a: null }, {}, false],
  });

  itJudges("take null as a constant", { schema: { const: null }, valid: [null], invalid: [0, "", false] });

  itJudges("compare odd names as plain data", {
    schema: { const: JSON.parse('{"__proto__": 1}') as unknown },
    valid: [JSON.parse('{"__proto__": 1}')],
    invalid: [{}, { __proto__: null }],
  });

  it("list what is allowed and cut long lists", () => {
    expect(complain({ const: "a" }, "b")).toBe('- (root): must be "a"');
    expect(complain({ enum: ["a", "b", 3] }, "x")).toBe('- (root): must be one of "a", "b", 3');
    const many = Array.from({ length: 15 }, (_, index) => index);
    expect(complain({ enum: many }, 99)).toBe(
      "- (root): must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (3 more)",
    );
    expect(complain({ const: "x".repeat(500) }, "b").length).toBeLessThan(120);
  });
});
