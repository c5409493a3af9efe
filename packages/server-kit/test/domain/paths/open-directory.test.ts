import { closeSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { walkDirectory } from "../../../src/domain/paths/held-directory.ts";
import type { WalkedDirectory } from "../../../src/domain/paths/open-directory.ts";
import { Roots } from "../../../src/domain/paths/roots.ts";
import type { SafePath } from "../../../src/domain/paths/path-rules.ts";
import { useScratch } from "./scratch.ts";

const isUnix = process.platform !== "win32";

const scratch = useScratch();

const walk = (path: string, hasDescriptorPaths: boolean): WalkedDirectory => {
  const rules = { roots: new Roots([scratch.root]), protect: () => undefined, hasDescriptorPaths };
  return walkDirectory(join(scratch.root, path) as SafePath, rules);
};

const readThrough = (directory: WalkedDirectory, name: string): string => {
  const fd = directory.openFile(name);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
};

describe.each([true, false])("a walked directory, with paths of descriptors: %s", (hasDescriptorPaths) => {
  it.runIf(isUnix)("opens what is below it, and nothing through a link", () => {
    scratch.write("root/opened/inner/file", "content");
    symlinkSync("inner", join(scratch.root, "opened/link"));
    symlinkSync("inner/file", join(scratch.root, "opened/shortcut"));
    const directory = walk("opened", hasDescriptorPaths);
    const inner = directory.enter("inner");
    expect(readdirSync(inner.at())).toEqual(["file"]);
    expect(readThrough(inner, "file")).toBe("content");
    expect(() => directory.enter("link")).toThrow(/not a directory|ENOTDIR/);
    expect(() => directory.openFile("shortcut")).toThrow("ELOOP");
    for (const each of [inner, directory]) each.close();
  });
});

describe("a walked directory that is swapped for a link", () => {
  it.runIf(isUnix)("stays what it was", () => {
    scratch.write("outside/secret");
    scratch.write("root/inside/real/file", "ours");
    const directory = walk("inside/real", true);
    renameSync(join(scratch.root, "inside/real"), join(scratch.root, "inside/moved"));
    symlinkSync(scratch.outside, join(scratch.root, "inside/real"));
    expect(readdirSync(directory.at())).toEqual(["file"]);
    expect(readThrough(directory, "file")).toBe("ours");
    directory.close();
  });

  it("is noticed where no path can start at a descriptor", () => {
    scratch.write("outside/secret");
    scratch.write("root/inside/real/file", "ours");
    const directory = walk("inside/real", false);
    renameSync(join(scratch.root, "inside/real"), join(scratch.root, "inside/moved"));
    symlinkSync(scratch.outside, join(scratch.root, "inside/real"));
    expect(() => directory.openFile("secret")).toThrow("replaced");
    directory.close();
  });
});
