import { describe, expect, it } from "vitest";
import { StoredResults } from "../../src/domain/stored-results.ts";

describe("stored results", () => {
  it("are found by id, in their own database", () => {
    const results = new StoredResults();
    const id = results.add("a", "text");
    expect([results.get(id, "a"), results.get(id, "b"), results.get("7", "a")]).toEqual([
      "text",
      undefined,
      undefined,
    ]);
    const other = results.add("b", "other");
    expect(results.idsOf("b")).toEqual([other]);
  });

  it("give way to newer ones by number", () => {
    const results = new StoredResults();
    const ids = Array.from({ length: 52 }, () => results.add("a", "x"));
    expect(results.idsOf("a")).toEqual(ids.slice(2));
  });

  it("give way to newer ones by size", () => {
    const results = new StoredResults();
    const ids = Array.from({ length: 5 }, () => results.add("a", "x".repeat(10_000_000)));
    expect(results.idsOf("a")).toEqual(ids.slice(2));
  });
});
