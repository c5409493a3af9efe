import { describe, expect, it } from "vitest";
import { findChunkCycle } from "../chunk-cycles.mjs";

describe("the files of a built program", () => {
  it("may share what is further down", () => {
    const chunks = [
      { fileName: "main.js", imports: ["a.js", "b.js"] },
      { fileName: "a.js", imports: ["shared.js"] },
      { fileName: "b.js", imports: ["shared.js", "node:fs"] },
      { fileName: "shared.js" },
    ];
    expect(findChunkCycle(chunks)).toBeUndefined();
  });

  it("may not need each other", () => {
    const chunks = [
      { fileName: "main.js", imports: ["a.js"] },
      { fileName: "a.js", imports: ["b.js"] },
      { fileName: "b.js", imports: ["c.js"] },
      { fileName: "c.js", imports: ["a.js"] },
    ];
    expect(findChunkCycle(chunks)).toEqual(["a.js", "b.js", "c.js", "a.js"]);
    expect(findChunkCycle([{ fileName: "a.js", imports: ["a.js"] }])).toEqual(["a.js", "a.js"]);
  });
});
