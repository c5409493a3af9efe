import { chmodSync, existsSync, lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { etagOf } from "@suite/server-kit/domain";
import { asNobody } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { deleteEntry } from "../../../src/domain/writing/delete-entry.ts";
import { createGuard, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const remove = (input: Parameters<typeof deleteEntry>[1]): ReturnType<typeof deleteEntry> =>
  deleteEntry(scratch.request(), input);

describe("deleting", () => {
  it("moves a file to the trash, from where undo brings back the very same", async () => {
    const path = scratch.write("a", "text");
    chmodSync(path, 0o600);
    const { ino, mtimeMs } = lstatSync(path);
    const result = await remove({ path });
    expect(result).toMatchObject({ kind: "file", bytes: 4, permanent: false, changed: [path] });
    expect(scratch.tree()).toEqual({});
    await scratch.undo(String(result.undo));
    expect(scratch.tree()).toEqual({ a: "text" });
    expect(lstatSync(path)).toMatchObject({ ino, mtimeMs });
  });

  it("gives a file back that is somebody else's, and theirs it remains", async () => {
    const path = scratch.write("a", "text");
    chmodSync(path, 0o600);
    scratch.openToAll();
    const { uid } = lstatSync(path);
    await asNobody(async () => {
      await remove({ path });
      await scratch.undo();
    });
    expect(lstatSync(path)).toMatchObject({ uid, nlink: 1 });
    expect(scratch.tree()).toEqual({ a: "text" });
  });

  it("takes a directory only with recursive", async () => {
    scratch.write("dir/sub/a", "text");
    scratch.write("dir/b", "more");
    const before = scratch.tree();
    await expect(remove({ path: "dir" })).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("recursive"),
    });
    const result = await remove({ path: "dir", recursive: true });
    expect(result).toMatchObject({ kind: "directory", entries_inside: 3, bytes: 8 });
    expect(scratch.tree()).toEqual({});
    await scratch.undo();
    expect(scratch.tree()).toEqual(before);
  });

  it("takes a link and leaves what it leads to, also one that leads nowhere or out", async () => {
    scratch.write("a", "text");
    symlinkSync("a", scratch.at("link"));
    symlinkSync("nowhere", scratch.at("dangling"));
    symlinkSync(scratch.outside, scratch.at("out"));
    for (const path of ["link", "dangling", "out"]) {
      expect(await remove({ path })).toMatchObject({ kind: "link" });
    }
    expect(scratch.tree()).toEqual({ a: "text" });
    expect(existsSync(scratch.outside)).toBe(true);
    await scratch.undo();
    expect(lstatSync(scratch.at("out")).isSymbolicLink()).toBe(true);
  });

  it("deletes for good when asked, and keeps nothing but the record of it", async () => {
    scratch.write("dir/sub/a", "secret");
    chmodSync(scratch.at("dir/sub"), 0o555);
    const result = await remove({ path: "dir", recursive: true, permanent: true });
    expect(result.permanent).toBe(true);
    expect(result).not.toHaveProperty("undo");
    expect(readdirSync(scratch.root)).toEqual([".suite-trash"]);
    const [entry = "", ...others] = scratch.entries();
    expect(others).toEqual([]);
    expect(readdirSync(join(scratch.trash, entry))).toEqual(["entry.json"]);
  });

  it("follows no link that is put in the tree", async () => {
    scratch.write("dir/a", "");
    const precious = join(scratch.outside, "precious");
    symlinkSync(scratch.outside, scratch.at("dir/link"));
    scratch.write("../outside/precious", "precious");
    await remove({ path: "dir", recursive: true, permanent: true });
    expect(existsSync(precious)).toBe(true);
  });

  it("deletes only the version that was read", async () => {
    const path = scratch.write("a", "two");
    await expect(remove({ path, if_match: etagOf(Buffer.from("one")) })).rejects.toMatchObject({
      code: "precondition_failed",
    });
    await remove({ path, if_match: etagOf(Buffer.from("two")) });
    expect(scratch.tree()).toEqual({});
  });

  it("says what would go in a dry run", async () => {
    scratch.write("dir/a", "text");
    const input = { path: "dir", recursive: true, permanent: true };
    const result = await deleteEntry(scratch.request(true), input);
    expect(result).toMatchObject({ entries_inside: 1, changed: [scratch.at("dir")] });
    expect(Object.keys(scratch.tree())).toEqual(["dir/", "dir/a"]);
  });
});

describe("never deleted", () => {
  it("are roots and what holds one", async () => {
    scratch.write("dir/inner/a", "");
    const guard = createGuard([scratch.root, scratch.at("dir/inner")]);
    for (const path of [scratch.root, ".", scratch.at("dir"), scratch.at("dir/inner")]) {
      await expect(
        deleteEntry({ ...scratch.request(), guard }, { path, recursive: true }),
      ).rejects.toMatchObject({ code: "permission_denied" });
    }
  });

  it("is what is outside, git's, or the server's own", async () => {
    scratch.write("a", "");
    scratch.write(".git/config", "");
    await remove({ path: "a" });
    for (const path of [
      "../outside",
      ".git",
      ".git/config",
      ".suite-trash",
      `.suite-trash/${scratch.entries()[0]}`,
    ]) {
      await expect(remove({ path, recursive: true })).rejects.toMatchObject({ code: "permission_denied" });
    }
  });

  it("is what is missing, and the nearest name is said", async () => {
    scratch.write("index.ts", "");
    await expect(remove({ path: "indx.ts" })).rejects.toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("index.ts"),
    });
  });
});
