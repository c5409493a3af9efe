import fs, { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { moveToFree } from "../../src/paths/new-file.ts";
import { useScratch } from "./scratch.ts";

const { linkSync } = fs;

const scratch = useScratch();
afterEach(() => {
  fs.linkSync = linkSync;
  syncBuiltinESMExports();
});

/** As a volume has it where a file can have one name only. */
function forbidLinks(): void {
  fs.linkSync = () => {
    throw Object.assign(new Error("EPERM"), { code: "EPERM" });
  };
  syncBuiltinESMExports();
}

describe.each([true, false])("moving to a free name, with hard links: %s", (hasLinks) => {
  beforeEach(() => {
    if (!hasLinks) forbidLinks();
  });

  it("moves the file", () => {
    moveToFree(scratch.write("root/from", "ours"), join(scratch.root, "to"));
    expect(readdirSync(scratch.root)).toEqual(["to"]);
    expect(readFileSync(join(scratch.root, "to"), "utf8")).toBe("ours");
  });

  it("replaces nothing that is there", () => {
    const from = scratch.write("root/from", "ours");
    writeFileSync(join(scratch.root, "to"), "theirs");
    expect(() => moveToFree(from, join(scratch.root, "to"))).toThrow("EEXIST");
    expect(readdirSync(scratch.root)).toEqual(["from", "to"]);
    expect(readFileSync(join(scratch.root, "to"), "utf8")).toBe("theirs");
  });

  it("leaves nothing where there is nothing to move", () => {
    expect(() => moveToFree(join(scratch.root, "from"), join(scratch.root, "to"))).toThrow("ENOENT");
    expect(readdirSync(scratch.root)).toEqual([]);
  });
});
