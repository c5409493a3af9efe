import { describe, expect, it } from "vitest";
import { suggestName } from "../../../src/schema/json-schema/names.ts";

describe("suggestName", () => {
  it("sees through spelling conventions and small slips", () => {
    const known = ["file_path", "start_line", "recursive"];
    expect(suggestName("filePath", known)).toContain('did you mean "file_path"?');
    expect(suggestName("start-line", known)).toContain('did you mean "start_line"?');
    expect(suggestName("recursiv", known)).toContain('did you mean "recursive"?');
  });

  it("does not guess from afar", () => {
    expect(suggestName("encoding", ["path", "head"])).toBe("unknown property; known: path, head");
    expect(suggestName("x", ["y"])).toContain("did you mean");
    expect(suggestName("ab", ["xyz"])).not.toContain("did you mean");
  });

  it("spends nothing on names too long to be slips", () => {
    const long = "n".repeat(70);
    expect(suggestName(`${long}x`, [long])).not.toContain("did you mean");
    expect(suggestName("n".repeat(60), [long, "path"])).not.toContain("did you mean");
    expect(suggestName(long, ["n".repeat(60)])).not.toContain("did you mean");
    expect(suggestName("path".repeat(100_000), ["path"])).toBe("unknown property; known: path");
  });
});
