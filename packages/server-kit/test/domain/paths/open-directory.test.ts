import { closeSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import { hasDescriptorPaths } from "../../../src/domain/paths/descriptor-path.ts";
import { walkDirectory } from "../../../src/domain/paths/held-directory.ts";
import type { WalkedDirectory } from "../../../src/domain/paths/open-directory.ts";
import { Roots } from "../../../src/domain/paths/roots.ts";
import type { SafePath } from "../../../src/domain/paths/path-rules.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

const walk = (path: string, isThere: boolean): WalkedDirectory => {
  const rules = { roots: new Roots([scratch.root]), protect: () => undefined, hasDescriptorPaths: isThere };
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

describe.each(hasDescriptorPaths() ? [true, false] : [false])(
  "a walked directory, with paths of descriptors: %s",
  (isThere) => {
    needs(it, "symbolic links")("opens what is below it, and nothing through a link", () => {
      scratch.write("root/opened/inner/file", "content");
      symlinkSync("inner", join(scratch.root, "opened/link"));
      symlinkSync("inner/file", join(scratch.root, "opened/shortcut"));
      const directory = walk("opened", isThere);
      const inner = directory.enter("inner");
      expect(readdirSync(inner.at())).toEqual(["file"]);
      expect(readThrough(inner, "file")).toBe("content");
      expect(() => directory.enter("link")).toThrow(/not a directory|ENOTDIR/);
      expect(() => directory.openFile("shortcut")).toThrow("ELOOP");
      for (const each of [inner, directory]) each.close();
    });
  },
);

describe("a walked directory that is swapped for a link", () => {
  needs(it, "/proc")("stays what it was", () => {
    scratch.write("outside/secret");
    scratch.write("root/inside/real/file", "ours");
    const directory = walk("inside/real", true);
    renameSync(join(scratch.root, "inside/real"), join(scratch.root, "inside/moved"));
    symlinkSync(scratch.outside, join(scratch.root, "inside/real"));
    expect(readdirSync(directory.at())).toEqual(["file"]);
    expect(readThrough(directory, "file")).toBe("ours");
    directory.close();
  });

  needs(it, "symbolic links")("is noticed where no path can start at a descriptor", () => {
    scratch.write("outside/secret");
    scratch.write("root/inside/real/file", "ours");
    const directory = walk("inside/real", false);
    renameSync(join(scratch.root, "inside/real"), join(scratch.root, "inside/moved"));
    symlinkSync(scratch.outside, join(scratch.root, "inside/real"));
    expect(() => directory.openFile("secret")).toThrow("replaced");
    directory.close();
  });
});
