import { appendFileSync, chmodSync, readFileSync, statSync } from "node:fs";
import { etagOf } from "@suite/server-kit/domain";
import { asNobody, needs } from "@suite/server-kit/testing";
import { beforeEach, expect, it } from "vitest";
import { appendFile } from "../../../src/domain/writing/append-file.ts";
import { listChanges } from "../../../src/domain/writing/changes/change-list.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const append = (input: Parameters<typeof appendFile>[1]): ReturnType<typeof appendFile> =>
  appendFile(scratch.request(), input);

needs(it, "file modes")("adds to the end exactly what is given, line ends included", async () => {
  const path = scratch.write("log", "one\r\n");
  chmodSync(path, 0o640);
  const result = await append({ path, content: "two\r\nthree\n" });
  const whole = "one\r\ntwo\r\nthree\n";
  expect(scratch.read("log")).toBe(whole);
  expect(result).toMatchObject({
    existed: true,
    size: 16,
    etag: etagOf(Buffer.from(whole)),
    changed: [path],
  });
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(scratch.leftovers()).toEqual([]);
});

it.each([
  ["one", "two", true],
  ["one", "\ntwo", undefined],
  ["one\n", "two", undefined],
  ["one\r", "two", undefined],
  ["", "two", undefined],
  ["one", "", undefined],
])("says that the text continues a line: %j and %j: %s", async (before, content, expected) => {
  scratch.write("log", before);
  const result = await append({ path: "log", content });
  expect(result.continues_line).toBe(expected);
});

it("creates no file where a directory is meant", async () => {
  await expect(append({ path: "new/", content: "text" })).rejects.toMatchObject({ code: "invalid_input" });
  expect(scratch.tree()).toEqual({});
});

it("adds to files that are larger than one piece", async () => {
  const large = Buffer.alloc(3 * 1024 * 1024 + 7, "x");
  const path = scratch.write("large", large);
  const result = await append({ path, content: "end" });
  expect(result.size).toBe(large.length + 3);
  expect(scratch.read("large")).toBe(`${large.toString()}end`);
});

needs(it, "file modes")("leaves nothing to be undone where a file may be read but not written", async () => {
  const path = scratch.write("log", "one");
  chmodSync(path, 0o444);
  scratch.openToAll();
  await asNobody(async () => {
    const appending = append({ path, content: "two" });
    await expect(appending).rejects.toMatchObject({ code: "permission_denied" });
    expect(listChanges(scratch.guard, 10).changes).toEqual([]);
  });
});

it.each([
  ["marked as UTF-16", Buffer.from("\uFEFFone", "utf16le"), "two"],
  ["in UTF-16 without a mark", Buffer.from("one\r\ntwo", "utf16le"), "two"],
  ["in Latin-1", Buffer.from("caf\u00E9", "latin1"), "\u00E9"],
  ["in Latin-1 only at its beginning", Buffer.from(`\u00E9${"x".repeat(20_000)}`, "latin1"), "\u00E9"],
  ["in Latin-1 only at its end", Buffer.from(`${"x".repeat(20_000)}\u00E9`, "latin1"), "\u00E9"],
])("refuses to add UTF-8 to a file %s", async (_, before, content) => {
  const path = scratch.write("log", before);
  await expect(append({ path, content })).rejects.toMatchObject({ code: "unsupported" });
  expect(readFileSync(path)).toEqual(before);
});

it.each([
  ["ASCII to Latin-1", Buffer.from("caf\u00E9\n", "latin1"), "two"],
  [
    "to UTF-8 whose characters lie across where it is looked at",
    Buffer.from(`a${"\u20AC".repeat(9000)}`),
    "\u00E9",
  ],
])("adds %s", async (_, before, content) => {
  const path = scratch.write("log", before);
  await append({ path, content });
  expect(readFileSync(path)).toEqual(Buffer.concat([before, Buffer.from(content)]));
});

it("is undone exactly, also behind what others added, or not at all", async () => {
  const path = scratch.write("log", "one\n");
  const first = await append({ path, content: "two\n" });
  appendFileSync(path, "theirs\n");
  for (const force of [false, true]) {
    const undoing = scratch.undo(String(first.undo), { force });
    await expect(undoing).rejects.toMatchObject({ code: "conflict" });
  }
  const second = await append({ path, content: "three\n" });
  const undone = await scratch.undo(String(second.undo));
  expect(scratch.read("log")).toBe("one\ntwo\ntheirs\n");
  appendFileSync(path, "more\n");
  await scratch.undo(String(undone.undo));
  expect(scratch.read("log")).toBe("one\ntwo\ntheirs\nmore\nthree\n");
});
