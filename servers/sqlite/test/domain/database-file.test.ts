import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { asNobody, needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import {
  DatabaseSetupError,
  type FileRules,
  locateDatabase,
  toAbsolute,
} from "../../src/domain/database-file.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();
const RULES: FileRules = { readOnly: false, create: false };

function failureOf(path: string, rules: Partial<FileRules> = {}): string {
  try {
    return `no failure: ${JSON.stringify(locateDatabase(path, { ...RULES, ...rules }))}`;
  } catch (thrown) {
    if (!(thrown instanceof DatabaseSetupError)) throw thrown;
    if (thrown.hint === "") throw new Error("Nobody knows what to do about it", { cause: thrown });
    return thrown.message.replace(scratch.folder, "…");
  }
}

describe("a database file", () => {
  it("is opened to write, or to read where nothing else is wanted", () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    expect(locateDatabase(file, RULES)).toEqual({ file, mode: "write" });
    expect(locateDatabase(file, { ...RULES, readOnly: true })).toEqual({ file, mode: "read" });
  });

  needs(it, "symbolic links")("is found behind a link, under its own name", () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a)");
    symlinkSync(file, scratch.path("link.db"));
    expect(locateDatabase(scratch.path("link.db"), RULES).file).toBe(file);
  });

  it("is named for any working directory with the name that was chosen for it", () => {
    expect(toAbsolute("/data", "sub/new.db")).toBe(resolve("/data/sub/new.db"));
    expect(toAbsolute("/data", "sales=sub/new.db")).toBe(`sales=${resolve("/data/sub/new.db")}`);
    expect(toAbsolute("/data", ":memory:")).toBe(":memory:");
    expect(toAbsolute("/data", "scratch=:memory:")).toBe("scratch=:memory:");
  });

  it("may be empty, or in memory", () => {
    writeFileSync(scratch.path("empty.db"), "");
    expect(locateDatabase(scratch.path("empty.db"), RULES).mode).toBe("write");
    expect(locateDatabase(":memory:", { readOnly: true, create: false })).toEqual({
      file: ":memory:",
      mode: "create",
    });
  });

  needs(it, "named pipes")("is a file, and of SQLite", () => {
    writeFileSync(scratch.path("short.txt"), "SQLite");
    execFileSync("mkfifo", [scratch.path("pipe")]);
    expect(failureOf(scratch.path("short.txt"))).toBe("…/short.txt is not an SQLite database");
    expect(failureOf(scratch.path("pipe"))).toBe("…/pipe is not a regular file");
  });

  needs(it, "symbolic links")("is created where a link leads", () => {
    symlinkSync("new.db", scratch.path("link.db"));
    symlinkSync("missing/new.db", scratch.path("lost.db"));
    expect(locateDatabase(scratch.path("link.db"), { ...RULES, create: true })).toEqual({
      file: scratch.path("new.db"),
      mode: "create",
    });
    expect(failureOf(scratch.path("lost.db"), { create: true })).toBe(
      "…/missing/new.db cannot be created: its directory does not exist",
    );
  });

  needs(it, "symbolic links")("whose path leads nowhere is refused", () => {
    scratch.create("a.db", "CREATE TABLE t (a)");
    symlinkSync("loop.db", scratch.path("loop.db"));
    expect(failureOf(scratch.path("loop.db"))).toBe("…/loop.db: too many symbolic links encountered");
    expect(failureOf(scratch.path("a.db/b.db"), { create: true })).toBe("…/a.db/b.db: not a directory");
  });

  needs(it, "file modes")(
    "that may not be written is read, and one that may not be read is refused",
    async () => {
      const file = scratch.create("a.db", "CREATE TABLE t (a)");
      chmodSync(scratch.folder, 0o755);
      chmodSync(file, 0o444);
      await asNobody(() => expect(locateDatabase(file, RULES).mode).toBe("read"));
      chmodSync(file, 0o000);
      await asNobody(() => expect(failureOf(file)).toBe("…/a.db cannot be read"));
    },
  );
});
