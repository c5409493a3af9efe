import { linkSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { appendFileTool } from "../../src/tools/append-file.ts";
import { copyFileTool } from "../../src/tools/copy-file.ts";
import { createDirectoryTool } from "../../src/tools/create-directory.ts";
import { deleteFileTool } from "../../src/tools/delete-file.ts";
import { editFileTool } from "../../src/tools/edit-file.ts";
import { moveFileTool } from "../../src/tools/move-file.ts";
import { replaceInFilesTool } from "../../src/tools/replace-in-files.ts";
import { undoTool } from "../../src/tools/undo.ts";
import { writeFileTool } from "../../src/tools/write-file.ts";
import { Scratch } from "../domain/writing/scratch.ts";
import { connectTool, errorOf, textOf } from "./tool-client.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const TOOLS = [
  writeFileTool,
  appendFileTool,
  editFileTool,
  replaceInFilesTool,
  createDirectoryTool,
  moveFileTool,
  copyFileTool,
  deleteFileTool,
  undoTool,
];

describe("every tool that changes files", () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s is described in few words", (_, tool) => {
    expect(tool.description.split(/\s+/).length).toBeLessThanOrEqual(45);
    expect(tool.group).toBe("write");
    expect(tool.effects).not.toBe("read");
  });

  it.each([
    [writeFileTool, { path: "a", content: "x" }],
    [appendFileTool, { path: "a", content: "x" }],
    [editFileTool, { path: "a", edits: [{ oldText: "old", newText: "new" }] }],
    [replaceInFilesTool, { path: ".", pattern: "old", replacement: "new" }],
    [createDirectoryTool, { path: "x/y" }],
    [moveFileTool, { source: "a", destination: "b" }],
    [copyFileTool, { source: "a", destination: "b" }],
    [deleteFileTool, { path: "a" }],
  ] as const)("changes nothing in a dry run, and says what it would: $name", async (tool, args) => {
    scratch.write("a", "old\n");
    const result = await (await connectTool(tool, scratch))({ ...args, dry_run: true });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({ dry_run: true });
    const { would_change: changes } = result.structuredContent as { would_change: string[] };
    expect(changes.length).toBeGreaterThan(0);
    expect(result.structuredContent).not.toHaveProperty("changed");
    expect(textOf(result)).toMatch(/(would be|to make)[^]*\nDry run: nothing was changed\./);
    expect(scratch.tree()).toEqual({ a: "old\n" });
  });
});

describe("write_file", () => {
  it("tells etag and how to undo it", async () => {
    const call = await connectTool(writeFileTool, scratch);
    const result = await call({ path: "a", content: "text" });
    expect(textOf(result)).toMatch(
      /^"\S+\/a" created \(4 bytes\), etag \S{16}\. Undo id [0-9a-z]{9}-[0-9a-f]{6}\.$/,
    );
    expect(textOf(await call({ path: "a", content: "text" }))).toContain("has this content already");
    expect(textOf(await call({ path: "a", content: "more" }))).toContain("replaced (4 bytes)");
  });

  it("fails with the current etag", async () => {
    scratch.write("a", "one");
    const result = await (
      await connectTool(writeFileTool, scratch)
    )({ path: "a", content: "x", if_match: "y" });
    expect(result.isError).toBe(true);
    expect(errorOf(result)).toMatchObject({
      code: "precondition_failed",
      details: { etag: expect.any(String) },
    });
  });

  it("shows the diff in a dry run, fenced", async () => {
    scratch.write("a", "one\n");
    const result = await (
      await connectTool(writeFileTool, scratch)
    )({ path: "a", content: "two\n", dry_run: true });
    expect(textOf(result)).toMatch(/would be replaced.*<untrusted-\w+>.*-one\n\+two\n/s);
  });
});

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

  it("shows the nearest lines when there is no match", async () => {
    scratch.write("a", "first line\nsecond line\n");
    const call = await connectTool(editFileTool, scratch);
    const result = await call({ path: "a", edits: [{ oldText: "second lime", newText: "x" }] });
    expect(textOf(result)).toMatch(/Nearest to it:\n<untrusted.*2: second line/s);
    expect(errorOf(result)).toMatchObject({ code: "not_found", details: { edit: 1, nearest: [2] } });
  });
});

it("replace_in_files says what to do with what was seen", async () => {
  scratch.write("a", "old old");
  const call = await connectTool(replaceInFilesTool, scratch);
  const args = { path: ".", pattern: "old", replacement: "new" };
  expect(textOf(await call(args))).toContain("repeat this with expected_count: 2");
  expect(textOf(await call({ ...args, expected_count: 2 }))).toMatch(
    /^2 replacements in 1 file made\. Undo id/,
  );
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
    expect(text).toMatch(/d2" exists already\nTo put it inside, [^]*\/d2\/d1"\. overwrite replaces/);
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

it("create_directory, copy_file, move_file and delete_file say what they did", async () => {
  scratch.write("a", "text");
  const say = async (tool: (typeof TOOLS)[number], args: object): Promise<string> =>
    textOf(await (await connectTool(tool, scratch))(args)).replaceAll(scratch.root, "");
  expect(await say(createDirectoryTool, { path: "x/y" })).toMatch(
    /^"\/x\/y" created, with 1 above it\. Undo id/,
  );
  expect(await say(createDirectoryTool, { path: "x/y" })).toBe('"/x/y" exists already.');
  expect(await say(copyFileTool, { source: "a", destination: "x/b" })).toMatch(
    /^"\/a" copied to "\/x\/b" \(4 bytes\)\. Undo id/,
  );
  expect(await say(moveFileTool, { source: "a", destination: "x/c" })).toMatch(
    /^"\/a" moved to "\/x\/c"\. Undo id/,
  );
  expect(await say(deleteFileTool, { path: "x", recursive: true })).toMatch(
    /^"\/x" deleted, with 3 entries in it\. Undo id/,
  );
  expect(scratch.tree()).toEqual({});
});

describe("undo", () => {
  it("counts all paths, though it names only the first", async () => {
    // Names so long that `changed` has no room for all of them.
    for (let index = 0; index < 50; index += 1) scratch.write(`${index}${"x".repeat(240)}`, "old");
    const replace = await connectTool(replaceInFilesTool, scratch);
    const args = { pattern: "old", replacement: "new" };
    for (const result of [await replace(args), await replace({ ...args, expected_count: 50 })]) {
      expect(result.structuredContent).toMatchObject({ changed_total: 50 });
      expect(textOf(result)).toContain("… and 30 more files");
    }
    const undo = await connectTool(undoTool, scratch);
    expect(textOf(await undo({ id: "last", dry_run: true }))).toContain("… and 30 more");
  });

  it("lists, then takes back", async () => {
    const call = await connectTool(undoTool, scratch);
    expect(textOf(await call({}))).toBe("There are no changes to undo.");
    const write = await connectTool(writeFileTool, scratch);
    for (const content of ["one", "two"]) await write({ path: "a", content });
    const listed = await call({ limit: 1 });
    expect(textOf(listed)).toMatch(
      /^\S{16} \d{4}-\S+Z write_file "\S+\/a": replaced\nThe newest 1 change: set limit for older ones\.$/,
    );
    const { changes } = listed.structuredContent as { changes: { id: string }[] };
    const undone = await call({ id: changes[0]?.id });
    expect(undone.structuredContent).toMatchObject({ changed: [scratch.at("a")], undo: expect.any(String) });
    expect(textOf(undone)).toContain("taken back");
    expect(scratch.read("a")).toBe("one");
  });
});
