import { closeSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import type { PathGuard } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";

import { type OpenDirectory, openDirectory } from "../../../src/domain/walking/open-directory.ts";
import { createPlot } from "./plot.ts";

const { root, guard, plant } = createPlot();

/** What the guard is where no path can start at a descriptor. */
const elsewhere = {
  holdDirectory: (path: Parameters<PathGuard["holdDirectory"]>[0]) => {
    const held = guard.holdDirectory(path);
    return { ...held, at: (name?: string) => (name === undefined ? held.path : join(held.path, name)) };
  },
  locate: (path: string, options?: object) => guard.locate(path, options),
  openFile: (path: Parameters<PathGuard["openFile"]>[0]) => guard.openFile(path),
} as PathGuard;

const readThrough = (directory: OpenDirectory, name: string): string => {
  const fd = directory.openFile(name);
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
};

describe.each([
  ["with descriptors", guard],
  ["without", elsewhere],
])("an open directory %s", (_name, given) => {
  it("opens what is below it, and nothing through a link", () => {
    plant("opened/inner/file", "content");
    rmSync(join(root, "opened/link"), { force: true });
    symlinkSync("inner", join(root, "opened/link"));
    const directory = openDirectory(given, guard.locate("opened"));
    const inner = directory.child("inner");
    expect(readdirSync(inner.at())).toEqual(["file"]);
    expect(readThrough(inner, "file")).toBe("content");
    expect(() => directory.child("link")).toThrow(/not a directory|ENOTDIR/);
    expect(() => directory.openFile("link")).toThrow(/ELOOP|replaced/);
    for (const each of [inner, directory]) each.close();
  });
});

describe("a directory that is swapped for a link", () => {
  it("stays what it was", () => {
    const outside = plant("elsewhere/secret", "secret");
    plant("inside/real/file", "ours");
    const directory = openDirectory(guard, guard.locate("inside/real"));
    renameSync(join(root, "inside/real"), join(root, "inside/moved"));
    symlinkSync(join(outside, ".."), join(root, "inside/real"));
    expect(readdirSync(directory.at())).toEqual(["file"]);
    expect(readThrough(directory, "file")).toBe("ours");
    directory.close();
  });
});
