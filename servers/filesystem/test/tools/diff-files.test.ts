import { describe, expect, it } from "vitest";
import { diffFilesTool } from "../../src/tools/diff-files.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, textOf } from "./tool-client.ts";

const scratch = createScratch();
const { write } = scratch;
const call = await connectTool(diffFilesTool, scratch);

describe("diff_files", () => {
  it("says in words what has no diff", async () => {
    write("a", "one\ntwo\n");
    write("zero", "\0a");
    write("other", "\0b");
    write("marked", "\uFEFFone\ntwo\n");
    const say = async (before: string, after: string): Promise<string> =>
      textOf(await call({ old_path: before, new_path: after }));
    expect(await say("a", "a")).toMatch(/ are identical$/);
    expect(await say("zero", "other")).toMatch(/ differ \(compared by bytes, not lines\)$/);
    expect(await say("a", "marked")).toMatch(/ differ in encoding or byte order mark$/);
  });

  it("says how a cut diff goes on", async () => {
    write("none", "");
    write("many", `${"x".repeat(99)}\n`.repeat(3000));
    const first = await call({ old_path: "none", new_path: "many" });
    const { next_cursor: cursor } = first.structuredContent as { next_cursor: string };
    expect(textOf(first).endsWith(`\nTruncated. Continue with cursor: "${cursor}".`)).toBe(true);
    const second = await call({ old_path: "none", new_path: "many", cursor });
    expect((second.structuredContent as { diff: string }).diff).toMatch(/^\+x{99}\n/);
  });

  it("stays short in time however much has changed", async () => {
    const lines = (seed: string): string =>
      Array.from({ length: 40_000 }, (_, n) => `${seed}${n % 977}\n`).join("");
    write("old", lines("a"));
    write("new", lines("b"));
    const result = await call({ old_path: "old", new_path: "new" });
    expect(result.structuredContent).toMatchObject({
      minimal: false,
      added_lines: 40_000,
      removed_lines: 40_000,
    });
    expect(textOf(result)).toContain("too many for the shortest diff");
  });
});
