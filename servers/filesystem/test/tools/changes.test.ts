import { linkSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { appendFileTool } from "../../src/tools/append-file.ts";
import { copyFileTool } from "../../src/tools/copy-file.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { moveFileTool } from "../../src/tools/move-file.ts";
import { replaceInFilesTool } from "../../src/tools/replace-in-files.ts";
import { undoTool } from "../../src/tools/undo.ts";
import { Scratch } from "../domain/writing/scratch.ts";
import { connectTool, textOf } from "./tool-client.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

describe("edit_file", () => {
  it("takes dryRun as well as dry_run", async () => {
    const path = scratch.write("a", "old");
    const call = await connectTool(editFileTool, scratch);
    const edits = [{ oldText: "old", newText: "new" }];
    for (const flag of [{ dryRun: true }, { dry_run: true }]) {
      const result = await call({ path, edits, ...flag });
      expect(result.structuredContent).toMatchObject({ dry_run: true });
    }
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(textOf(await call({ path, edits }))).toMatch(/edited, etag .*-old.*\+new/s);
    expect(readFileSync(path, "utf8")).toBe("new");
  });
});

it("replace_in_files says why it may have found nothing", async () => {
  scratch.write("a", "new");
  const call = await connectTool(replaceInFilesTool, scratch);
  const args = { path: ".", pattern: "old", replacement: "new" };
  expect(textOf(await call(args))).toBe("Nothing to replace.\nDry run: nothing was changed.");
  expect(textOf(await call({ search: "old", replacement: "" }))).toContain("Nothing to replace.");
  expect(textOf(await call({ ...args, pattern: "(old|older)" }))).toContain("set regex: true");
  scratch.write("src/b", "old");
  expect(textOf(await call({ ...args, path: "src", include: ["src/*"] }))).toContain("relative to path");
  expect(textOf(await call({ ...args, pattern: String.raw`\r$`, regex: true }))).toContain(
    String.raw`Every line end is \n to the pattern`,
  );
});

it.each(["count", "steps"])("undo says how to go back further than one change, asked by %s", async (name) => {
  const result = await (await connectTool(undoTool, scratch))({ [name]: 3 });
  expect(textOf(result)).toContain(`${name}: one call undoes one change: give id: "last"`);
});

it("append_file says that it continued a line", async () => {
  scratch.write("a", "one");
  const call = await connectTool(appendFileTool, scratch);
  expect(textOf(await call({ path: "a", content: "two\n" }))).toContain("so the text continues it.");
  expect(textOf(await call({ path: "a", content: "three" }))).not.toContain("continues");
});

it("replace_in_files says that it does not keep hard links, and what it did not look at", async () => {
  scratch.write(".gitignore", "ignored\n");
  for (const name of ["a", "ignored"]) scratch.write(name, "old");
  linkSync(scratch.at("a"), scratch.at("b"));
  const text = textOf(
    await (
      await connectTool(replaceInFilesTool, scratch)
    )({ pattern: "old", replace: "new" }),
  );
  expect(text).toMatch(/each name becomes a file of its own\. Left out: 1 entry ignored by git/);
});

it.each([
  [moveFileTool, { from: "d1", to: "d2" }],
  [copyFileTool, { source_path: "d1", destination_path: "d2" }],
] as const)(
  "$name says how to put a directory into another before it speaks of overwrite",
  async (tool, args) => {
    for (const name of ["d1", "d2"]) scratch.write(`${name}/f`, name);
    const text = textOf(await (await connectTool(tool, scratch))(args));
    expect(text).toMatch(/d2" exists already\nTo put it inside, [^]*[\\/]d2[\\/]d1"\. overwrite replaces/);
  },
);

it("edit_file says where replace_all belongs", async () => {
  scratch.write("a", "old old");
  const call = await connectTool(editFileTool, scratch);
  const edit = { oldText: "old", newText: "new" };
  expect(textOf(await call({ path: "a", edits: [edit], replace_all: true }))).toContain("inside each edit");
  await call({ path: "a", ...edit, replace_all: true });
  expect(scratch.read("a")).toBe("new new");
});

describe("undo", () => {
  it("counts all paths, though it names only the first", async () => {
    // Names so long that `changed` has no room for all of them.
    for (let index = 0; index < 50; index += 1) scratch.write(`${index}${"x".repeat(240)}`, "old");
    const replace = await connectTool(replaceInFilesTool, scratch);
    const args = { pattern: "old", replacement: "new" };
    for (const result of [await replace(args), await replace({ ...args, expected_count: 50 })]) {
      expect(result.structuredContent).toMatchObject({ changed_total: 50 });
      expect(textOf(result)).toContain("… and 40 more files");
    }
    const undo = await connectTool(undoTool, scratch);
    expect(textOf(await undo({ id: "last", dry_run: true }))).toContain("… and 40 more");
  });
});
