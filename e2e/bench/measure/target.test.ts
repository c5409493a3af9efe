import { describe, expect, it } from "vitest";
import { formatTargets, isMet } from "./target.ts";

describe("a target", () => {
  it("is met at its limit and missed beyond it", () => {
    expect(isMet({ what: "start", measured: 1.15, wanted: { atMost: 1.15 } })).toBe(true);
    expect(isMet({ what: "start", measured: 1.16, wanted: { atMost: 1.15 } })).toBe(false);
    expect(isMet({ what: "calls", measured: 0.7, wanted: { atLeast: 0.7 } })).toBe(true);
    expect(isMet({ what: "calls", measured: 0.69, wanted: { atLeast: 0.7 } })).toBe(false);
  });

  it("is shown with what was wanted", () => {
    const table = formatTargets([
      { what: "start", measured: 1.5, wanted: { atMost: 1.15 } },
      { what: "calls", measured: 0.81, wanted: { atLeast: 0.7 } },
    ]);
    expect(table.split("\n")).toEqual([
      "target  measured    wanted",
      "start      1.50x  <= 1.15x  missed",
      "calls      0.81x   >= 0.7x     met",
    ]);
  });
});
