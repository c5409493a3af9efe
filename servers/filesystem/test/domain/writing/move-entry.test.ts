import { linkSync, lstatSync, lutimesSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { editFile } from "../../../src/domain/editing/edit-file.ts";
import { moveEntry } from "../../../src/domain/writing/move-entry.ts";
import { undoChange } from "../../../src/domain/writing/undo-change.ts";
import { createGuard, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const move = (input: Parameters<typeof moveEntry>[1]): ReturnType<typeof moveEntry> =>
  moveEntry(scratch.request(), input);

describe("moving", () => {
  it("is undone once what was edited since is undone", async () => {
    scratch.write("a", "one");
    const { undo: id = "" } = await move({ source: "a", destination: "b" });
    await editFile(scratch.request(), { path: "b", edits: [{ oldText: "one", newText: "two" }] });
    await expect(scratch.undo(id)).rejects.toMatchObject({
      hint: expect.stringContaining("If it was edited since, undo that first") as string,
    });
    await scratch.undo();
    await scratch.undo(id);
    expect(scratch.tree()).toEqual({ a: "one" });
  });

  it("gives a file no name that is meant for a directory", async () => {
    scratch.write("a", "text");
    for (const dir of ["new/", "new/sub/", "new/.", "new/sub/.."]) {
      await expect(move({ source: "a", destination: dir })).rejects.toMatchObject({
        code: "conflict",
        hint: `Without that, it gets this name. To put it inside, give the full new path: "${join(scratch.at(dir), "a")}".`,
      });
    }
    expect(scratch.tree()).toEqual({ a: "text" });
    scratch.write("dir/b", "text");
    await move({ source: "dir", destination: "new/" });
    expect(scratch.tree()).toEqual({ a: "text", "new/": "", "new/b": "text" });
  });

  needs(it, "names that differ by case")("takes two files' names that differ by case for two", async () => {
    linkSync(scratch.write("readme", "text"), scratch.at("README"));
    const input = { source: "readme", destination: "README" };
    await expect(move(input)).rejects.toMatchObject({ code: "conflict" });
    await move({ ...input, overwrite: true });
    expect(scratch.tree()).toEqual({ README: "text" });
  });

  it("onto itself changes nothing", async () => {
    scratch.write("a", "text");
    const result = await move({ source: "a", destination: "./a", overwrite: true });
    expect(result.changed).toEqual([]);
    expect(scratch.read("a")).toBe("text");
  });
});

describe("what is at the destination", () => {
  it("may be a directory that a directory replaces, but never a file", async () => {
    scratch.write("a", "one");
    scratch.write("old/x", "old");
    scratch.write("new/y", "new");
    await expect(move({ source: "a", destination: "old", overwrite: true })).rejects.toMatchObject({
      code: "conflict",
    });
    await move({ source: "new", destination: "old", overwrite: true });
    expect(scratch.tree()).toEqual({ a: "one", "old/": "", "old/y": "new" });
    await scratch.undo();
    expect(scratch.tree()).toEqual({ a: "one", "new/": "", "new/y": "new", "old/": "", "old/x": "old" });
  });

  it("may be another name of the same file, which takes the place of both", async () => {
    scratch.write("a", "same");
    linkSync(scratch.at("a"), scratch.at("b"));
    await move({ source: "a", destination: "b", overwrite: true });
    expect(scratch.tree()).toEqual({ b: "same" });
  });

  it("keeps the first of many who move there at once", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `file ${index}`);
    for (const name of names) scratch.write(name, name);
    const results = await Promise.allSettled(names.map((source) => move({ source, destination: "one" })));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(Object.keys(scratch.tree())).toHaveLength(10);
  });
});

describe("refused", () => {
  it("is to move into itself, or over what holds it", async () => {
    scratch.write("dir/sub/a", "");
    for (const [source, destination] of [
      ["dir", "dir/sub/dir"],
      ["dir/sub", "dir"],
    ] as const) {
      await expect(move({ source, destination, overwrite: true })).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
  });

  it("comes with the directories above it, which undo takes away again", async () => {
    scratch.write("file", "text");
    const moved = await move({ source: "file", destination: "no/such/x" });
    expect(scratch.tree()).toEqual({ "no/": "", "no/such/": "", "no/such/x": "text" });
    await scratch.undo(String(moved.undo));
    expect(scratch.tree()).toEqual({ file: "text" });
  });
});

// Memory is another volume.
needs(describe, "/dev/shm")("between two volumes", () => {
  let other: Scratch;
  let request: ReturnType<Scratch["request"]>;
  beforeEach(() => {
    other = new Scratch({}, "/dev/shm");
    request = { ...scratch.request(), guard: createGuard([scratch.root, other.root]) };
  });

  it("copies, then takes away", async () => {
    const path = scratch.write("dir/a", "text");
    symlinkSync("a", scratch.at("dir/link"));
    for (const old of [path, scratch.at("dir/link"), scratch.at("dir")]) lutimesSync(old, 1000, 2000);
    // Otherwise this test shows nothing.
    expect(statSync(scratch.root).dev).not.toBe(statSync(other.root).dev);
    await moveEntry(request, { source: scratch.at("dir"), destination: other.at("dir") });
    expect(scratch.tree()).toEqual({});
    expect(Object.keys(other.tree())).toEqual(["dir/", "dir/a", "dir/link"]);
    for (const name of ["dir", "dir/a", "dir/link"])
      expect(lstatSync(other.at(name)).mtimeMs).toBe(2_000_000);
    unlinkSync(other.at("dir/link"));
    // What has changed in it could not be kept.
    other.write("dir/a", "changed");
    await expect(undoChange(request, { id: "last" })).rejects.toMatchObject({ code: "unsupported" });
    await moveEntry(request, { source: other.at("dir"), destination: scratch.at("dir") });
    expect([scratch.tree(), other.tree()]).toEqual([{ "dir/": "", "dir/a": "changed" }, {}]);
  });

  it.each(["a", "dir"])("gives %s back by undo, and counts what is kept for that", async (name) => {
    scratch.write("a", "text");
    scratch.write("dir/b", "text");
    const before = scratch.tree();
    await moveEntry(request, { source: scratch.at(name), destination: other.at(`new/${name}`) });
    expect(scratch.journal.kept.get(scratch.root)?.bytes).toBe(4);
    expect(Object.values(other.tree())).toContain("text");
    await undoChange(request, { id: "last" });
    expect([scratch.tree(), other.tree()]).toEqual([before, {}]);
    expect(other.leftovers()).toEqual([]);
  });

  it("replaces a file there when asked", async () => {
    scratch.write("a", "one");
    other.write("a", "two");
    await moveEntry(request, { source: scratch.at("a"), destination: other.at("a"), overwrite: true });
    expect([scratch.tree(), other.tree()]).toEqual([{}, { a: "one" }]);
    await undoChange(request, { id: "last" });
    expect([scratch.tree(), other.tree()]).toEqual([{ a: "one" }, { a: "two" }]);
  });

  it("replaces no directory there, which no trash could keep together with the source", async () => {
    scratch.write("dir/a", "one");
    other.write("dir/b", "two");
    const input = { source: scratch.at("dir"), destination: other.at("dir"), overwrite: true };
    await expect(moveEntry(request, input)).rejects.toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining("Delete it first"),
    });
    expect([scratch.tree(), other.tree()]).toEqual([
      { "dir/": "", "dir/a": "one" },
      { "dir/": "", "dir/b": "two" },
    ]);
  });

  it("is undone only where nothing new would be lost, not even by force", async () => {
    scratch.write("a", "text");
    const { undo = "" } = await moveEntry(request, { source: scratch.at("a"), destination: other.at("a") });
    scratch.write("a", "new work");
    for (const force of [false, true]) {
      await expect(undoChange(request, { id: undo, force })).rejects.toMatchObject({
        code: "conflict",
        hint: expect.stringContaining("Move it away first"),
      });
      expect([scratch.tree(), other.tree()]).toEqual([{ a: "new work" }, { a: "text" }]);
    }
    await moveEntry(request, { source: scratch.at("a"), destination: scratch.at("b") });
    await undoChange(request, { id: undo });
    expect([scratch.tree(), other.tree()]).toEqual([{ a: "text", b: "new work" }, {}]);
  });
});
