import { mkdirSync, readdirSync, renameSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/core/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { hasDescriptorPaths } from "../../../src/domain/paths/descriptor-path.ts";
import type { PathRules, SafePath } from "../../../src/domain/paths/path-rules.ts";
import { type HeldDirectory, holdDirectory } from "../../../src/domain/paths/held-directory.ts";
import { protectGit } from "../../../src/domain/paths/protect-git.ts";
import { Roots } from "../../../src/domain/paths/roots.ts";
import { catchFault, useScratch } from "./scratch.ts";

describe.each(hasDescriptorPaths() ? [true, false] : [false])("with paths of descriptors: %s", (isThere) => {
  const scratch = useScratch();
  let rules: PathRules;
  beforeEach(() => {
    rules = { roots: new Roots([scratch.root]), protect: protectGit, hasDescriptorPaths: isThere };
  });

  const inRoot = (path: string): SafePath => join(scratch.root, path) as SafePath;
  const hold = (path: string): HeldDirectory => holdDirectory(inRoot(path), rules);

  it("reaches its entries, and lists them", () => {
    scratch.write("root/a/file");
    const held = hold("a");
    writeFileSync(held.at("new"), "");
    expect(readdirSync(held.at()).toSorted()).toEqual(["file", "new"]);
    expect(held.path).toBe(inRoot("a"));
    held.close();
  });

  it("holds a directory in it", () => {
    scratch.write("root/a/b/file");
    const held = hold("a");
    const inner = held.enter("b");
    held.close();
    expect(readdirSync(inner.at())).toEqual(["file"]);
    expect(inner.path).toBe(inRoot("a/b"));
    inner.close();
  });

  it.each(["", ".", "..", "a/b", "/", "../outside", "a\0"])("has no entry called %j", (name) => {
    const held = hold(".");
    expect(catchFault(() => held.at(name)).code).toBe("invalid_input");
    expect(catchFault(() => held.enter(name)).code).toBe("invalid_input");
    held.close();
  });

  needs(it, "symbolic links")("holds no link, no file, and nothing that is missing", () => {
    scratch.write("root/file");
    symlinkSync(scratch.outside, inRoot("way"));
    const held = hold(".");
    for (const [name, code] of [
      ["file", "invalid_input"],
      ["way", "invalid_input"],
      ["none", "not_found"],
    ] as const) {
      expect(catchFault(() => hold(name)).code).toBe(code);
      expect(catchFault(() => held.enter(name)).code).toBe(code);
    }
    held.close();
  });

  needs(it, "symbolic links")("holds nothing outside, by whatever way it is reached", () => {
    mkdirSync(join(scratch.outside, "deep"));
    symlinkSync(scratch.outside, inRoot("way"));
    for (const path of ["way/deep", "../outside", ".."]) {
      const fault = catchFault(() => hold(path));
      expect(fault.code).toBe("permission_denied");
      expect(fault.hint).toContain(scratch.root);
    }
  });

  needs(it, "symbolic links")("does not hold a protected directory in another one's place", () => {
    mkdirSync(inRoot(".git/hooks"), { recursive: true });
    symlinkSync(".git", inRoot("way"));
    expect(catchFault(() => hold("way/hooks")).message).toContain("--allow-git-writes");
    const located = hold(".git/hooks");
    expect(located.path).toBe(inRoot(".git/hooks"));
    located.close();
  });

  it("is of no use once it is closed", () => {
    const held = hold(".");
    held.close();
    held.close();
    expect(() => held.at("x")).toThrow("was used after it was closed");
    expect(() => held.enter("x")).toThrow("was used after it was closed");
  });
});

describe("when a link takes the directory's place", () => {
  const scratch = useScratch();

  const swap = (isThere: boolean): HeldDirectory => {
    const path = join(scratch.root, "a") as SafePath;
    mkdirSync(path);
    const rules = { roots: new Roots([scratch.root]), protect: () => undefined, hasDescriptorPaths: isThere };
    const held = holdDirectory(path, rules);
    renameSync(path, join(scratch.root, "moved"));
    symlinkSync(scratch.outside, path);
    return held;
  };

  needs(it, "/proc")("works in the directory that is held", () => {
    const held = swap(true);
    writeFileSync(held.at("new"), "");
    held.close();
    expect(readdirSync(join(scratch.root, "moved"))).toEqual(["new"]);
    expect(readdirSync(scratch.outside)).toEqual([]);
  });

  needs(it, "symbolic links")("refuses where no path can start at a descriptor", () => {
    const held = swap(false);
    expect(catchFault(() => held.at("new")).code).toBe("conflict");
    held.close();
  });

  needs(it, "/proc")("finds nothing in a directory that was removed", () => {
    const held = swap(true);
    rmdirSync(join(scratch.root, "moved"));
    expect(() => writeFileSync(held.at("new"), "")).toThrow("ENOENT");
    held.close();
  });
});
