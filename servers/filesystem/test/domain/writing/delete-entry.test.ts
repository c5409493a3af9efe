import { chmodSync, existsSync, lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { asNobody, needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { deleteEntry } from "../../../src/domain/writing/delete-entry.ts";
import { Scratch } from "./scratch.ts";

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

  needs(it, "file modes")("gives a file back that is somebody else's, and theirs it remains", async () => {
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

  needs(it, "symbolic links")("follows no link that is put in the tree", async () => {
    scratch.write("dir/a", "");
    const precious = join(scratch.outside, "precious");
    symlinkSync(scratch.outside, scratch.at("dir/link"));
    scratch.write("../outside/precious", "precious");
    await remove({ path: "dir", recursive: true, permanent: true });
    expect(existsSync(precious)).toBe(true);
  });
});
