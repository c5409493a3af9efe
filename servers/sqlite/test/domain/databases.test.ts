import { fork } from "node:child_process";
import { linkSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Fault } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import { Databases, protectFiles } from "../../src/domain/databases.ts";
import { WorkerProgram } from "../../src/domain/engine/worker-program.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

/** Nothing here starts a process. */
const open = (...files: string[]): Databases =>
  new Databases({
    files,
    program: new WorkerProgram(pathToFileURL("/nowhere/worker.js"), () => fork),
    readOnly: false,
    create: true,
    allowDdl: false,
    busyTimeoutMs: 1000,
    memoryBytes: 2 ** 28,
  });

function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  throw new Error("There is no fault");
}

describe("databases", () => {
  it("are called by their files, or as the operator says", () => {
    const files = ["Sales 2026.sqlite3", "données.db", ".db", "a=b=c.db", "plain"].map((name) =>
      scratch.path(name),
    );
    expect(open(...files, ":memory:", "archive=:memory:", `old_1=${scratch.path("x.db")}`).names).toEqual([
      "Sales_2026",
      "donn_es",
      "_db",
      "a_b_c",
      "plain",
      "memory",
      "archive",
      "old_1",
    ]);
  });

  it("of the same name are numbered", () => {
    expect(open(":memory:", ":memory:", "memory=:memory:").names).toEqual(["memory", "memory-2", "memory-3"]);
  });

  it("are found in small letters where that is clear, and suggested where it is not", () => {
    const databases = open("Sales=:memory:", "A=:memory:", "a=:memory:");
    expect(databases.get("sales").name).toBe("Sales");
    expect([databases.get("A").name, databases.get("a").name]).toEqual(["A", "a"]);
    expect(faultOf(() => databases.get("Saels"))).toMatchObject({
      code: "not_found",
      hint: "Did you mean Sales?",
    });
    expect(faultOf(() => databases.get("x".repeat(100_000))).message.length).toBeLessThan(200);
    expect(faultOf(() => databases.get("__proto__")).code).toBe("not_found");
  });
});

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
