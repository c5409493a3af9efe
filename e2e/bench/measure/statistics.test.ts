import { describe, expect, it } from "vitest";
import { summarize } from "./statistics.ts";

describe("summarize", () => {
  it("takes the middle sample of an odd number, whatever their order", () => {
    expect(summarize([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9, samples: [9, 1, 5] });
  });

  it("takes the mean of the two middle samples of an even number", () => {
    expect(summarize([4, 1, 100, 2]).median).toBe(3);
  });

  it("orders by value, not by spelling", () => {
    expect(summarize([100, 9, 20])).toMatchObject({ median: 20, min: 9, max: 100 });
  });

  it("is the sample itself when there is one", () => {
    expect(summarize([7])).toMatchObject({ median: 7, min: 7, max: 7 });
  });

  it("refuses to summarize nothing", () => {
    expect(() => summarize([])).toThrow("no samples");
  });
});
