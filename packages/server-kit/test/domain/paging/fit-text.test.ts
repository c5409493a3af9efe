import { expect, it } from "vitest";

import { fitText } from "../../../src/domain/paging/fit-text.ts";
import { shownSize } from "../../../src/domain/text/reveal.ts";

it("takes what fits as JSON, and no more than was asked for", () => {
  for (const text of ["a", '"', "\u202E", "\n"].map((sign) => sign.repeat(5000))) {
    const size = shownSize(fitText(text, 100, 1000));
    expect(size).toBeLessThanOrEqual(1000);
    expect(size).toBeGreaterThan(900);
  }
  expect(fitText("abcdef", 2, 1000, 3)).toBe("cde");
  expect(fitText("abcdef", 4, 1000)).toBe("ef");
  expect(fitText("", 0, 1000)).toBe("");
});

it("moves on in the smallest budget, and splits no character", () => {
  expect(fitText("abc", 1, 0)).toBe("b");
  expect(fitText("😀😀", 0, 1)).toBe("😀");
  expect(fitText("😀😀", 0, 1000, 3)).toBe("😀");
  expect(fitText("a😀", 0, 1000, 2)).toBe("a");
});
