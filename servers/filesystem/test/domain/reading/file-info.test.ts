import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, lstatSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PathGuard } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import { describeFile } from "../../../src/domain/reading/file-info.ts";
import { readText } from "../../../src/domain/reading/read-text.ts";
import { createScratch, never } from "./scratch.ts";

const { root, outside, guard, write } = createScratch();

describe("describeFile", () => {
  it("tells what there is to know about a file", () => {
    const path = write("a.md", "# Hi\n");
    chmodSync(path, 0o640);
    utimesSync(path, new Date("2024-05-06T07:08:09Z"), new Date("2023-01-02T03:04:05Z"));
    expect(describeFile(guard, "a.md")).toMatchObject({
      path,
      type: "file",
      size: 5,
      accessed: "2024-05-06T07:08:09.000Z",
      modified: "2023-01-02T03:04:05.000Z",
      permissions: "640",
      links: 1,
      mime_type: "text/markdown",
    });
    linkSync(path, join(root, "b.md"));
    expect(describeFile(guard, path).links).toBe(2);
  });

  it("gives the etag that reading gives", async () => {
    const path = write("same", "content");
    expect(describeFile(guard, path).etag).toBe((await readText(guard, { path }, { signal: never })).etag);
  });

  it("knows directories, a root among them, and what is neither", () => {
    mkdirSync(join(root, "sub"));
    for (const path of [root, "sub", "."]) {
      expect(describeFile(guard, path)).toMatchObject({
        type: "directory",
        mime_type: "inode/directory",
      });
    }
    execFileSync("mkfifo", [join(root, "fifo")]);
    const fifo = describeFile(guard, "fifo");
    expect(fifo).toMatchObject({ type: "fifo" });
    expect(fifo).not.toHaveProperty("etag");
  });

  it("tells where a link leads that stays inside, and what is there", () => {
    const target = write("target.txt", "twelve bytes");
    symlinkSync("target.txt", join(root, "link"));
    expect(describeFile(guard, "link")).toMatchObject({
      path: join(root, "link"),
      type: "file",
      size: 12,
      link: "inside",
      link_target: target,
    });
    symlinkSync("nowhere", join(root, "dangling"));
    expect(describeFile(guard, "dangling")).toMatchObject({ type: "symlink", link: "dangling" });
  });

  it("tells nothing of a target outside, not even whether it is there", () => {
    writeFileSync(join(outside, "secret"), "secret");
    symlinkSync(join(outside, "secret"), join(root, "aaaaaa"));
    symlinkSync(join(outside, "sacred"), join(root, "bbbbbb"));
    const [there, missing] = ["aaaaaa", "bbbbbb"].map((name) => {
      const { path, created, modified, accessed, ...rest } = describeFile(guard, name);
      const { mtimeMs } = lstatSync(path, { bigint: true });
      expect([path, new Date(Number(mtimeMs)).toISOString()]).toEqual([join(root, name), modified]);
      return { ...rest, times: [created, accessed].length };
    });
    expect(there).toEqual(missing);
    expect(there).toMatchObject({ type: "symlink", link: "refused" });
    expect(JSON.stringify(there)).not.toContain("outside");
  });

  it("follows no link where none may be followed", () => {
    write("to", "x");
    symlinkSync("to", join(root, "from"));
    const strict = new PathGuard({ roots: [root], links: "refuse" });
    expect(describeFile(strict, "from")).toMatchObject({ type: "symlink", link: "refused" });
  });

  it("says what is missing", () => {
    expect(() => describeFile(guard, "nothing/at/all")).toThrow(
      expect.objectContaining({
        code: "not_found",
        message: `"${root}/nothing/at/all" does not exist: there is no "nothing" in "${root}"`,
      }),
    );
  });
});
