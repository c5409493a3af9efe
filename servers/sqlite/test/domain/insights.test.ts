import { describe, expect, it } from "vitest";
import { Insights } from "../../src/domain/insights.ts";

describe("insights", () => {
  it("are a memo, one a line", () => {
    const insights = new Insights();
    expect(insights.toMemo()).toBe("No insights yet.");
    insights.add("First.");
    insights.add("Second\nin two lines ");
    expect([insights.count(), insights.toMemo()]).toEqual([
      2,
      "Insights:\n\n- First.\n- Second in two lines",
    ]);
  });

  it("are for whoever added them", () => {
    const insights = new Insights();
    insights.add("Hers.", "ada");
    expect([insights.count("ada"), insights.toMemo("ada")]).toEqual([1, "Insights:\n\n- Hers."]);
    expect([insights.count("bob"), insights.toMemo("bob")]).toEqual([0, "No insights yet."]);
  });

  it("are limited", () => {
    const insights = new Insights();
    for (let at = 0; at < 1000; at += 1) insights.add(`Insight ${at}`);
    expect(() => insights.add("one more")).toThrow(expect.objectContaining({ code: "too_large" }) as Error);
    expect(insights.count()).toBe(1000);
  });
});
