import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { editFile } from "../../../src/domain/editing/edit-file.ts";
import { replaceInFiles } from "../../../src/domain/editing/replace-in-files.ts";
import { appendFile } from "../../../src/domain/writing/append-file.ts";
import { ChangeJournal } from "../../../src/domain/writing/changes/journal.ts";
import { listChanges } from "../../../src/domain/writing/changes/change-list.ts";
import { deleteEntry } from "../../../src/domain/writing/delete-entry.ts";
import { moveEntry } from "../../../src/domain/writing/move-entry.ts";
import { undoChange } from "../../../src/domain/writing/undo-change.ts";
import { writeFile } from "../../../src/domain/writing/write-file.ts";
import { createGuard, OPTIONS, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const write = (input: Parameters<typeof writeFile>[1]): ReturnType<typeof writeFile> =>
  writeFile(scratch.request(), input);
const remove = (input: Parameters<typeof deleteEntry>[1]): ReturnType<typeof deleteEntry> =>
  deleteEntry(scratch.request(), input);
const move = (input: Parameters<typeof moveEntry>[1]): ReturnType<typeof moveEntry> =>
  moveEntry(scratch.request(), input);

const list = ({ guard }: Scratch): string[] => listChanges(guard, 100).changes.map(({ tool }) => tool);

describe("the list of changes", () => {
  it("counts one of a thing as one", async () => {
    mkdirSync(scratch.at("d"));
    writeFileSync(scratch.at("d/a"), "old");
    await appendFile(scratch.request(), { path: "d/a", content: "x" });
    await editFile(scratch.request(), { path: "d/a", edits: [{ oldText: "x", newText: "y" }] });
    await replaceInFiles(scratch.request(), {
      path: ".",
      pattern: "old",
      replacement: "new",
      expected_count: 1,
    });
    await remove({ path: "d", recursive: true });
    expect(listChanges(scratch.guard, 4).changes.map(({ summary }) => summary)).toEqual([
      "deleted, with 1 entry",
      "replaced 1 time in 1 file",
      "edited (1 edit)",
      "appended 1 byte",
    ]);
  });

  it("outlives the process, and is told from that of other roots", async () => {
    const other = new Scratch();
    await write({ path: "a", content: "one" });
    const later = { ...scratch.request(), journal: new ChangeJournal(OPTIONS) };
    expect(list(other)).toEqual([]);
    const undone = await undoChange(later, { id: "last" });
    expect(undone.undone).toMatchObject({ tool: "write_file", paths: [scratch.at("a")] });
    expect(scratch.tree()).toEqual({});
  });

  it("covers all roots of the caller", async () => {
    const [one, two] = [new Scratch(), new Scratch()];
    const guard = createGuard([one.root, two.root]);
    const request = { ...one.request(), guard };
    await writeFile(request, { path: one.at("a"), content: "" });
    await writeFile(request, { path: two.at("a"), content: "" });
    expect(listChanges(guard, 10).changes.map(({ paths }) => paths)).toEqual([[two.at("a")], [one.at("a")]]);
    await undoChange(request, { id: "last" });
    expect([one.tree(), two.tree()]).toEqual([{ a: "" }, {}]);
    rmSync(two.root, { recursive: true });
    expect(listChanges(guard, 10).changes.map(({ paths }) => paths)).toEqual([[one.at("a")]]);
  });
});

describe("undoing", () => {
  needs(it, "file modes").each([1, 2])(
    "gives back content, mode and time of a file with %d names",
    async (count) => {
      const path = scratch.write("a", "one");
      if (count === 2) linkSync(path, scratch.at("b"));
      chmodSync(path, 0o640);
      utimesSync(path, 1000, 1000);
      const { undo } = await write({ path, content: "two" });
      const result = await scratch.undo(String(undo));
      expect(result).toMatchObject({ changed: [path], undone: { id: undo } });
      expect(scratch.read("a")).toBe("one");
      expect(statSync(path)).toMatchObject({ mtimeMs: 1_000_000, nlink: 1 });
      expect(statSync(path).mode & 0o777).toBe(0o640);
    },
  );

  it("keeps a directory that somebody uses by now", async () => {
    await write({ path: "x/a", content: "" });
    scratch.write("x/theirs", "");
    const { changed } = await scratch.undo();
    expect(changed).toEqual([scratch.at("x/a")]);
    expect(Object.keys(scratch.tree())).toEqual(["x/", "x/theirs"]);
  });

  it('goes back step by step with "last", and forth again by the ids', async () => {
    for (const content of ["one", "two", "three"]) await write({ path: "a", content });
    const undos: string[] = [];
    for (const left of ["two", "one"]) {
      undos.push(String((await scratch.undo()).undo));
      expect(scratch.read("a")).toBe(left);
    }
    await scratch.undo(String(undos.pop()));
    expect(scratch.read("a")).toBe("two");
    // What was done again is the last change again.
    undos.push(String((await scratch.undo()).undo));
    expect(scratch.read("a")).toBe("one");
    await scratch.undo(String(undos.pop()));
    expect(scratch.read("a")).toBe("two");
    await scratch.undo(String(undos.pop()));
    expect(scratch.read("a")).toBe("three");
  });

  it("makes what is missing above again", async () => {
    scratch.write("x/y/a", "text");
    const { undo } = await remove({ path: "x/y/a" });
    await remove({ path: "x", recursive: true, permanent: true });
    await scratch.undo(String(undo));
    expect(scratch.read("x/y/a")).toBe("text");
  });

  it("says so when there is no such change, and which may have been meant", async () => {
    await expect(scratch.undo()).rejects.toMatchObject({ code: "not_found" });
    const { undo = "" } = await write({ path: "a", content: "" });
    await expect(scratch.undo(undo.slice(1))).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining(undo),
    });
    await expect(scratch.undo("../../x")).rejects.toMatchObject({ code: "not_found" });
  });

  it("happens once, however many ask for it", async () => {
    scratch.write("a", "one");
    const { undo = "" } = await write({ path: "a", content: "two" });
    const results = await Promise.allSettled([1, 2, 3].map(() => scratch.undo(undo)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(scratch.read("a")).toBe("one");
  });
});

describe("what has changed since", () => {
  it("is not overwritten, unless forced; and that can be undone", async () => {
    const path = scratch.write("a", "one");
    const { undo = "" } = await write({ path, content: "two" });
    writeFileSync(path, "theirs");
    await expect(scratch.undo(undo)).rejects.toMatchObject({
      code: "conflict",
      details: { conflicts: [path] },
    });
    expect(scratch.read("a")).toBe("theirs");
    await scratch.undo(undo, { force: true });
    expect(scratch.read("a")).toBe("one");
    const [newest] = listChanges(scratch.guard, 1).changes;
    await scratch.undo(newest?.id ?? "");
    expect(scratch.read("a")).toBe("theirs");
  });

  it("is not lost by force where nothing is kept", async () => {
    const path = scratch.write("a", "one");
    const { undo = "" } = await write({ path, content: "two" });
    writeFileSync(path, "theirs");
    const keepingNothing = {
      ...scratch.request(),
      journal: new ChangeJournal({ ...OPTIONS, keep: false }),
    };
    await expect(undoChange(keepingNothing, { id: undo, force: true })).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("--no-undo"),
    });
    expect(scratch.read("a")).toBe("theirs");
  });

  it("is no conflict if it says the same", async () => {
    const path = scratch.write("a", "one");
    await editFile(scratch.request(), { path, edits: [{ oldText: "one", newText: "two" }] });
    utimesSync(path, 1, 1);
    await scratch.undo();
    expect(scratch.read("a")).toBe("one");
  });

  it("is not taken for what was moved, not even by force", async () => {
    scratch.write("a", "one");
    const { undo: id = "" } = await move({ source: "a", destination: "b" });
    renameSync(scratch.at("b"), scratch.at("a"));
    const undo = (): Promise<unknown> => scratch.undo(id, { force: true });
    await expect(undo()).rejects.toMatchObject({ code: "conflict" });
    scratch.write("b", "theirs");
    await expect(undo()).rejects.toMatchObject({ code: "conflict" });
    expect(scratch.tree()).toEqual({ a: "one", b: "theirs" });
  });

  it("is moved back by force, if it is still what was moved", async () => {
    scratch.write("a", "one");
    const { undo: id = "" } = await move({ source: "a", destination: "b" });
    for (const name of ["a", "b"]) scratch.write(name, "theirs");
    await scratch.undo(id, { force: true });
    expect(scratch.tree()).toEqual({ a: "theirs" });
  });

  it("does not keep what a moved file replaced from coming back by force", async () => {
    for (const name of ["a", "b"]) scratch.write(name, name);
    const input = { source: "a", destination: "b", overwrite: true };
    const { undo: id = "" } = await move(input);
    renameSync(scratch.at("b"), scratch.at("a"));
    await scratch.undo(id, { force: true });
    expect(scratch.tree()).toEqual({ a: "a", b: "b" });
  });

  it("may stand where a deleted file was", async () => {
    scratch.write("a", "one");
    await remove({ path: "a" });
    mkdirSync(scratch.at("a"));
    scratch.write("a/theirs", "theirs");
    await expect(scratch.undo()).rejects.toMatchObject({ code: "conflict" });
    await scratch.undo("last", { force: true });
    expect(scratch.tree()).toEqual({ a: "one" });
    const [newest] = listChanges(scratch.guard, 1).changes;
    await scratch.undo(newest?.id ?? "");
    expect(scratch.tree()).toEqual({ "a/": "", "a/theirs": "theirs" });
  });
});
