import { describe, expect, it } from "vitest";
import { formatTable } from "./table.ts";

describe("formatTable", () => {
  it("aligns names left and figures right", () => {
    const table = formatTable(
      ["server", "ms"],
      [
        ["a", "1,234"],
        ["longer name", "5"],
      ],
    );
    expect(table.split("\n")).toEqual([
      "server          ms", //
      "a            1,234",
      "longer name      5",
    ]);
  });

  it("leaves missing cells blank and no blanks at the end of a line", () => {
    expect(formatTable(["server", "ms", "note"], [["a", "1"]]).split("\n")).toEqual([
      "server  ms  note",
      "a        1",
    ]);
  });

  it("is its header when there are no rows", () => {
    expect(formatTable(["server", "ms"], [])).toBe("server  ms");
  });
});
