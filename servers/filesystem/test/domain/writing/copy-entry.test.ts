import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { copyEntry } from "../../../src/domain/writing/copy-entry.ts";
import { createGuard, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const copy = (input: Parameters<typeof copyEntry>[1]): ReturnType<typeof copyEntry> =>
  copyEntry(scratch.request(), input);

describe("copying a file", () => {
  it("gives it no name that is meant for a directory", async () => {
    scratch.write("a", "text");
    await expect(copy({ source: "a", destination: "new/" })).rejects.toMatchObject({ code: "conflict" });
    expect(scratch.tree()).toEqual({ a: "text" });
  });

  needs(it, "symbolic links")("copies what a link leads to, and refuses one that leads out", async () => {
    scratch.write("a", "text");
    symlinkSync("a", scratch.at("link"));
    symlinkSync("/etc/passwd", scratch.at("out"));
    await copy({ source: "link", destination: "b" });
    expect(scratch.read("b")).toBe("text");
    await expect(copy({ source: "out", destination: "c" })).rejects.toMatchObject({
      code: "permission_denied",
    });
  });
});

describe("copying a directory", () => {
  needs(
    it,
    "file modes",
    "names that are no text",
    "symbolic links",
  )("takes everything along: names that are no text, modes, links that stay inside", async () => {
    scratch.write("dir/sub/a", "text");
    scratch.write("dir/run", "#!");
    chmodSync(scratch.at("dir/run"), 0o755);
    chmodSync(scratch.at("dir/sub"), 0o555);
    symlinkSync("sub/a", scratch.at("dir/link"));
    symlinkSync(Buffer.from([0xff]), scratch.at("dir/bytes"));
    execFileSync("touch", [
      Buffer.concat([Buffer.from(`${scratch.at("dir")}/`), Buffer.from([0xff])]) as unknown as string,
    ]);
    const result = await copy({ source: "dir", destination: "copy" });
    chmodSync(scratch.at("dir/sub"), 0o755);
    expect(result).toMatchObject({ kind: "directory", bytes: 6, changed: [scratch.at("copy")] });
    expect(readFileSync(scratch.at("copy/sub/a"), "utf8")).toBe("text");
    expect(statSync(scratch.at("copy/run")).mode & 0o777).toBe(0o755);
    expect(statSync(scratch.at("copy/sub")).mode & 0o777).toBe(0o555);
    expect(readlinkSync(scratch.at("copy/link"))).toBe("sub/a");
    expect(readlinkSync(scratch.at("copy/bytes"), "buffer")).toEqual(Buffer.from([0xff]));
    chmodSync(scratch.at("copy/sub"), 0o755);
    expect(readdirSync(scratch.at("copy"))).toHaveLength(readdirSync(scratch.at("dir")).length);
  });

  needs(
    it,
    "named pipes",
    "symbolic links",
  )("leaves out what leads outside, what is special or protected, and says so", async () => {
    scratch.write("dir/a", "text");
    scratch.write("dir/.git/config", "hook");
    symlinkSync("/etc/passwd", scratch.at("dir/absolute"));
    symlinkSync("../../outside", scratch.at("dir/relative"));
    execFileSync("mkfifo", [scratch.at("dir/pipe")]);
    const result = await copy({ source: "dir", destination: "copy" });
    expect(readdirSync(scratch.at("copy"))).toEqual(["a"]);
    expect(result.skipped?.map(({ path }) => path).toSorted()).toEqual(
      [".git", "absolute", "pipe", "relative"].map((name) => scratch.at("dir", name)),
    );
    expect(result.entries).toBe(2);
  });

  it("is kept by an undo, and counted with all that is in it", async () => {
    scratch.write("dir/a", "text");
    await copy({ source: "dir", destination: "copy" });
    await scratch.undo();
    expect(scratch.journal.kept.get(scratch.root)?.bytes).toBe(4);
  });

  it("does not copy into itself", async () => {
    scratch.write("dir/a", "");
    for (const destination of ["dir/copy", "dir"]) {
      await expect(copy({ source: "dir", destination })).rejects.toMatchObject({ code: "invalid_input" });
    }
  });

  it("into one directory takes file: URIs, and names as results show them", async () => {
    scratch.write("a b", "1");
    scratch.write("dir/c\u202Ed", "2");
    const [first, into] = ["a b", "into"].map((name) => pathToFileURL(scratch.at(name)).href);
    await copy({ source: [first ?? "", String.raw`dir/c\u{202E}d`], destination: into ?? "" });
    expect(scratch.tree()).toMatchObject({ "into/": "", "into/a b": "1", "into/c\u202Ed": "2" });
  });

  it("may be a whole root, without what is the server's own", async () => {
    const other = new Scratch();
    scratch.write("a", "one");
    const request = { ...scratch.request(), guard: createGuard([scratch.root, other.root]) };
    await copyEntry(request, { source: scratch.at("a"), destination: scratch.at("b") });
    await copyEntry(request, { source: scratch.root, destination: other.at("copy") });
    expect(other.tree()).toEqual({ "copy/": "", "copy/a": "one", "copy/b": "one" });
    expect(readdirSync(other.at("copy"))).toEqual(["a", "b"]);
  });

  it("stops when it is told to, and leaves nothing", async () => {
    for (let index = 0; index < 300; index += 1) scratch.write(`dir/${index}`, "x".repeat(10_000));
    const controller = new AbortController();
    const copying = copyEntry(
      { ...scratch.request(), signal: controller.signal },
      { source: "dir", destination: join("copy") },
    );
    setImmediate(() => controller.abort());
    await expect(copying).rejects.toBeDefined();
    expect(readdirSync(scratch.root).toSorted()).toEqual([".suite-trash", "dir"]);
    expect(scratch.entries()).toEqual([]);
  });
});
