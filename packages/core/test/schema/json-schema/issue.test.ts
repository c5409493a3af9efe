import { describe, expect, it } from "vitest";
import { describeIssues, toPathText } from "../../../src/schema/json-schema/issue.ts";

describe("describeIssues", () => {
  it("is one line per issue, with the root named", () => {
    expect(
      describeIssues([
        { path: [], message: "expected object, got array" },
        { path: ["path", 0, "name"], message: "is required" },
      ]),
    ).toBe("- (root): expected object, got array\n- path[0].name: is required");
  });

  it("quotes names that would read as something else, and cuts long ones", () => {
    expect(toPathText(["a b", "c.d", "é", "x-y"])).toBe('["a b"]["c.d"].é.x-y');
    expect(toPathText(["a\nb"])).toBe('["a\\nb"]');
    expect(toPathText(["n".repeat(1000)]).length).toBeLessThan(80);
  });
});
