import { describe, expect, it } from "vitest";
import { complain, itJudges } from "./verdicts.ts";

describe("strings", () => {
  itJudges("lengths count code points, not units", {
    schema: { minLength: 2, maxLength: 3 },
    valid: ["ab", "abc", "😀😀", "😀😀😀", 1],
    invalid: ["a", "😀", "abcd", "😀😀😀😀", ""],
  });

  itJudges("a lone surrogate is one character", {
    schema: { minLength: 2, maxLength: 2 },
    valid: ["\ud800a", "\udc00\ud800"],
    invalid: ["\ud83d\ude00"],
  });

  itJudges("pattern is searched, with Unicode semantics", {
    schema: { pattern: "^\\p{Lu}.$|x" },
    valid: ["É😀", "axb", 5],
    invalid: ["é😀", ""],
  });

  itJudges("pattern falls back to what is valid only without Unicode semantics", {
    schema: { pattern: "^[a\\-z\\_]+$|^\\\\p{2}\\-$" },
    valid: ["a-z_", "\\pp-"],
    invalid: ["b"],
  });

  it("say what is wanted", () => {
    expect(complain({ minLength: 1 }, "")).toBe("- (root): must not be empty");
    expect(complain({ minLength: 3 }, "a")).toBe("- (root): must have at least 3 characters");
    expect(complain({ maxLength: 1 }, "ab")).toBe("- (root): must have at most 1 character");
    expect(complain({ pattern: "^a+$" }, "b")).toBe("- (root): must match the pattern ^a+$");
  });
});
