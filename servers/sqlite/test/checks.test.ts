import { fork } from "node:child_process";
import { WorkerProgram } from "../src/domain/engine/worker-program.ts";
import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkDatabases } from "../src/checks.ts";
import type { SqliteOptions } from "../src/server.ts";
import { useWorkerProgram } from "./domain/worker-program.ts";
import { unstopped, useScratch } from "./domain/scratch.ts";

const program = useWorkerProgram();
const scratch = useScratch();

const check = (options: object): ReturnType<typeof checkDatabases> => {
  const given = {
    files: [],
    dbPath: [],
    create: false,
    readOnly: false,
    allowDdl: false,
    busyTimeout: 1000,
    memory: 256,
  };
  return checkDatabases(
    { ...given, ...options } as unknown as SqliteOptions,
    new WorkerProgram(program.url, () => fork),
    unstopped(),
  );
};

describe("the doctor", () => {
  it("opens every database, and makes none", async () => {
    const file = scratch.create("app.db", "CREATE TABLE t (a)");
    const files = [file, ":memory:", scratch.path("new.db")];
    expect(await check({ files, create: true })).toMatchObject({
      status: "ok",
      found: "app (writable), memory (will be created), new (will be created)",
    });
    expect(existsSync(scratch.path("new.db"))).toBe(false);
    expect(await check({ dbPath: [file], readOnly: true })).toMatchObject({ found: "app (read-only)" });
  });

  it("says what is wrong with each, and what to do", async () => {
    const damaged = scratch.path("damaged.db");
    writeFileSync(damaged, "SQLite format 3\0".padEnd(4096, "x"));
    const finding = await check({ files: [damaged, scratch.path("missing.db"), ":memory:"] });
    expect(finding).toMatchObject({
      status: "missing",
      found: expect.stringMatching(/damaged\.db: .*, .*missing\.db: .* does not exist, memory/) as string,
    });
    expect(await check({ files: [scratch.path("missing.db")] })).toMatchObject({
      status: "missing",
      hint: "Name a database that exists, or add --create.",
    });
    expect(await check({})).toMatchObject({ status: "warning", found: "none given" });
  });
});
