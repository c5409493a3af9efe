import { describe, expect, it } from "vitest";
import { StoredResults } from "../../src/domain/stored-results.ts";

const create = (): StoredResults => {
  let count = 0;
  return new StoredResults(() => String((count += 1)));
};

describe("stored results", () => {
  it("are found by id, in their own database", () => {
    const results = create();
    const id = results.add("a", "text");
    expect([results.get(id, "a"), results.get(id, "b"), results.get("7", "a")]).toEqual([
      "text",
      undefined,
      undefined,
    ]);
    results.add("b", "other");
    expect(results.idsOf("b")).toEqual(["2"]);
  });

  it("give way to newer ones by number", () => {
    const results = create();
    for (let at = 0; at < 52; at += 1) results.add("a", "x");
    expect([results.idsOf("a").length, results.get("2", "a"), results.get("3", "a")]).toEqual([
      50,
      undefined,
      "x",
    ]);
  });

  it("give way to newer ones by size", () => {
    const results = create();
    for (let at = 0; at < 5; at += 1) results.add("a", "x".repeat(10_000_000));
    expect(results.idsOf("a")).toEqual(["3", "4", "5"]);
  });
});
