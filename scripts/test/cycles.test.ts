import { describe, expect, it } from "vitest";
import { findCycle } from "../cycles.mjs";

describe("files", () => {
  it("may share what is further down", () => {
    const imports = new Map([
      ["main.js", ["a.js", "b.js"]],
      ["a.js", ["shared.js"]],
      ["b.js", ["shared.js", "node:fs"]],
    ]);
    expect(findCycle(imports)).toBeUndefined();
  });

  it("may not need each other", () => {
    const imports = new Map([
      ["main.js", ["a.js"]],
      ["a.js", ["b.js"]],
      ["b.js", ["c.js"]],
      ["c.js", ["a.js"]],
    ]);
    expect(findCycle(imports)).toEqual(["a.js", "b.js", "c.js", "a.js"]);
    expect(findCycle(new Map([["a.js", ["a.js"]]]))).toEqual(["a.js", "a.js"]);
  });
});
