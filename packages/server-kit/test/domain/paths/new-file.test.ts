import fs, {
  chmodSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { copyToNewFile, moveToFree } from "../../../src/domain/paths/new-file.ts";
import { asNobody } from "../../../src/testing.ts";
import { useScratch } from "./scratch.ts";

const { copyFileSync, linkSync } = fs;

const scratch = useScratch();
afterEach(() => {
  Object.assign(fs, { copyFileSync, linkSync });
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

/** As a volume has it where files can share their blocks: the clone gets the mode of its source. */
function allowClones(source: string): void {
  fs.copyFileSync = (_, to) => writeFileSync(to, readFileSync(source), { flag: "wx", mode: 0o444 });
  syncBuiltinESMExports();
}

it("clones a file that may not be written", async () => {
  const text = "x".repeat(100_000);
  const source = scratch.write("root/from", text);
  chmodSync(source, 0o444);
  for (const directory of [scratch.base, scratch.root]) chmodSync(directory, 0o777);
  allowClones(source);
  const [fd, path] = [openSync(source, "r"), join(scratch.root, "to")];
  try {
    const stats = fstatSync(fd, { bigint: true });
    await asNobody(() => copyToNewFile({ path, like: stats }, { fd, stats }));
  } finally {
    closeSync(fd);
  }
  expect(readFileSync(path, "utf8")).toBe(text);
});
