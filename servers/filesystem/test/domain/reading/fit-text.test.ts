import { shownSize } from "@suite/server-kit/domain";
import { expect, it } from "vitest";
import { findEnd } from "../../../src/domain/reading/fit-text.ts";

it("ends after the last line that fits as JSON, where line ends are longer", () => {
  const text = Array.from({ length: 9000 }, (_, line) => `-line ${line}\n`).join("");
  for (const start of [0, 16_000]) {
    const end = findEnd(text, start, 16_384);
    expect(text[end - 1]).toBe("\n");
    const size = shownSize(text.slice(start, end));
    expect(size).toBeLessThanOrEqual(16_384);
    expect(size).toBeGreaterThan(15_000);
  }
});

it("ends inside a line that does not fit, and at the end of what does", () => {
  expect(findEnd("a".repeat(100), 0, 50)).toBeGreaterThan(40);
  expect(findEnd("a\nb", 0, 50)).toBe(3);
});
