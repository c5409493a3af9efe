import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Insights, InsightsFileError } from "../../src/domain/insights.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

describe("insights", () => {
  it("are a memo, one a line", () => {
    const insights = new Insights(undefined);
    expect(insights.toMemo()).toBe("No insights yet.");
    insights.add("First.");
    insights.add("Second\nin two lines ");
    expect([insights.count, insights.toMemo()]).toEqual([2, "Insights:\n\n- First.\n- Second in two lines"]);
  });

  it("outlive the process in a file that nobody else may read", () => {
    const file = scratch.path("insights");
    const text = 'A "quote", a\nnewline, \u{1F600} and \u202E';
    new Insights(file).add(text);
    expect(new Insights(file).toMemo()).toContain('- A "quote", a newline, \u{1F600} and \u202E');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8").trim()).toBe(JSON.stringify(text));
  });

  it("of several servers are kept together", () => {
    const file = scratch.path("insights");
    const [one, other] = [new Insights(file), new Insights(file)];
    one.add("one");
    other.add("two");
    one.add("three");
    expect([one.count, other.toMemo()]).toEqual([3, "Insights:\n\n- one\n- two\n- three"]);
  });

  it("survive a line that was cut", () => {
    const file = scratch.path("insights");
    const insights = new Insights(file);
    insights.add("before");
    appendFileSync(file, '"cut in the mi');
    insights.add("after");
    expect(new Insights(file).toMemo()).toBe("Insights:\n\n- before\n- after");
  });

  it("are not looked for in something else", () => {
    writeFileSync(scratch.path("README"), "# About\n");
    mkdirSync(scratch.path("folder"));
    expect(() => new Insights(scratch.path("README"))).toThrow(InsightsFileError);
    expect(() => new Insights(scratch.path("folder"))).toThrow(/is no list of insights$/);
  });

  it("that cannot be kept are a fault, and not kept", () => {
    const insights = new Insights(scratch.path("missing/insights"));
    expect(() => insights.add("lost")).toThrow(expect.objectContaining({ code: "not_found" }) as Error);
    expect(insights.count).toBe(0);
  });

  it("are limited", () => {
    const insights = new Insights(undefined);
    for (let at = 0; at < 1000; at += 1) insights.add(`Insight ${at}`);
    expect(() => insights.add("one more")).toThrow(expect.objectContaining({ code: "too_large" }) as Error);
    expect(insights.count).toBe(1000);
  });
});
