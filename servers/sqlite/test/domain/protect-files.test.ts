import { linkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { protectFiles } from "../../src/domain/protect-files.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

describe("files of the server's own", () => {
  it("may not be written, nor what SQLite keeps beside them", () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    const protect = protectFiles([file, ":memory:", scratch.path("later.db")]);
    for (const suffix of ["", "-wal", "-shm", "-journal"]) {
      expect(protect(`${file}${suffix}`), suffix).toBe("it is in use by this server");
    }
    expect(protect(scratch.path("later.db"))).toBeDefined();
    expect(protect(scratch.path("b.db"))).toBeUndefined();
    expect(protect(scratch.path("a.db.csv"))).toBeUndefined();
  });

  it("are known by another name", () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    linkSync(file, scratch.path("other.db"));
    writeFileSync(scratch.path("free.db"), "");
    expect(protectFiles([file])(scratch.path("other.db"))).toBe("it is in use by this server");
    expect(protectFiles([file])(scratch.path("free.db"))).toBeUndefined();
  });

  it("are not the only ones: git runs what stands in its own", () => {
    expect(protectFiles([])(scratch.path(".git/config"))).toBe("it belongs to a git repository's own files");
  });
});
