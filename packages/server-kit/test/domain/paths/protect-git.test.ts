import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { protectGit } from "../../../src/domain/paths/protect-git.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

describe("protectGit", () => {
  it.each([
    "/r/.git",
    "/r/.git/config",
    "/r/.git/hooks/pre-commit",
    "/r/a/b/.git/objects/ab/cd",
    "/r/.GIT/config",
    "/r/.Git",
    "/r/.git./config",
    "/r/.git /config",
    "/r/.git. . ./config",
    "/r/git~1/config",
    "/r/GIT~1",
    "/r/git~2/config",
    "/r/.git::$INDEX_ALLOCATION/config",
    "/r/.git:stream",
    "/r/.g\u200Cit/config",
    "/r/\uFEFF.git/config",
    "/r/.git\\config",
    "C:\\r\\.git\\config",
  ])("denies %j", (path) => {
    const reason = protectGit(path);
    expect(reason).toContain("would let git run any program");
    expect(reason).toContain("--allow-git-writes");
  });

  it.each([
    "/r/.gitignore",
    "/r/.gitattributes",
    "/r/.github/workflows/ci.yml",
    "/r/a.git/config",
    "/r/git/config",
    "/r/.git-old/config",
    "/r/legit~1",
    "/r/.git.txt",
  ])("does not mind %s", (path) => {
    expect(protectGit(path)).toBeUndefined();
  });

  it.each([
    [
      ["HEAD", "objects", "refs"],
      ["", "config", "refs/heads/main"],
      "belongs to a git repository's own files",
    ],
    [["HEAD", "commondir"], ["", "config"], "belongs to a git repository's own files"],
    [["HEAD", "objects"], ["refs", "Refs/heads", "commondir"], "would make its directory a git repository"],
    [["refs", "objects"], ["HEAD", "head"], "would make its directory a git repository"],
    [["commondir"], ["HEAD"], "would make its directory a git repository"],
  ])("denies, where there is %j, %j", (there, paths, reason) => {
    for (const name of there) scratch.write(`root/sub/${name}`);
    for (const path of paths) expect(protectGit(join(scratch.root, "sub", path))).toContain(reason);
  });

  it.each([
    [
      ["HEAD", "refs"],
      ["HEAD", "config", "x/objects"],
    ],
    [
      // What is there already; \u200C and not "head", which some disks take for HEAD.
      ["objects", "refs", "HEAD\u200C/a.ts"],
      ["HEAD\u200C", "HEAD\u200C/a.ts", "HEAD\u200C/b.ts"],
    ],
  ])("does not mind, where there is %j, %j", (there, paths) => {
    for (const name of there) scratch.write(`root/sub/${name}`);
    for (const path of paths) {
      expect(protectGit(join(scratch.root, "sub", path))).toBeUndefined();
    }
  });
});
