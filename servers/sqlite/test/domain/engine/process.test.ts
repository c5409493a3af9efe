import { fork, type ForkOptions } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { WorkerProgram } from "../../../src/domain/engine/worker-program.ts";
import { useDatabases } from "../scratch.ts";
import { isAlive, workOf } from "./alive.ts";
import { CROSS_JOIN, ENDLESS, ENDLESS_WRITE, TABLE } from "./endless.ts";

const { scratch, built, open } = useDatabases();

describe("the process", () => {
  it("is replaced when somebody else kills it, idle or at work", async () => {
    const database = open({
      file: scratch.create("a.db", TABLE),
      mode: "write",
    });
    await database.read({ sql: "SELECT 1" });
    database.children[0]?.kill("SIGKILL");
    await expect.poll(() => isAlive(database.children[0]?.pid)).toBe(false);
    expect(await database.rows("SELECT 2")).toEqual([[2]]);
    const slow =
      "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000) SELECT count(*) FROM n";
    const read = database.read({ sql: slow });
    setTimeout(() => database.children[1]?.kill("SIGKILL"), 20);
    expect((await read).rows).toEqual([[1000000]]);
    const write = database.write({ sql: ENDLESS_WRITE });
    setTimeout(() => database.children.at(-1)?.kill("SIGKILL"), 300);
    await expect(write).rejects.toMatchObject({
      code: "unavailable",
      message:
        "The database process ended unexpectedly. It was done completely or not at all: check before you repeat it.",
    });
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[3]]);
  });

  it("is replaced again when one statement ends it, and the others get their answers", async () => {
    const database = open({
      file: scratch.create("a.db", TABLE),
      memoryBytes: 200_000_000,
    });
    await database.read({ sql: "SELECT 1" });
    // All of them are with the process as it ends, and only the third is to blame.
    const sql = ["SELECT 1", "SELECT 2", CROSS_JOIN, "SELECT 4"];
    const outcomes = await Promise.allSettled(sql.map((each) => database.read({ sql: each })));
    expect(outcomes).toMatchObject([
      { value: { rows: [[1]] } },
      { value: { rows: [[2]] } },
      { reason: { code: "too_large" } },
      { value: { rows: [[4]] } },
    ]);
    expect(database.children).toHaveLength(3);
  });

  it("is given up when it cannot start", async () => {
    const broken = open({
      file: scratch.create("a.db", TABLE),
      program: new WorkerProgram(pathToFileURL("/nonexistent/worker.mjs"), () => fork),
    });
    await expect(broken.read({ sql: "SELECT 1" })).rejects.toMatchObject({
      code: "unavailable",
      retryable: false,
      message: "The database process could not be started.",
    });
  });

  it("that the system has no room for does nothing later, and nobody waits for it", async () => {
    let failures = 1;
    const database = open({
      file: scratch.create("a.db", TABLE),
      mode: "write",
      program: new WorkerProgram(built.url, () => {
        if (failures === 0) return fork;
        failures -= 1;
        throw Object.assign(new Error("spawn ENOMEM"), { code: "ENOMEM" });
      }),
    });
    const unstartable = {
      code: "unavailable",
      retryable: true,
      retryAfterMs: 1000,
      cause: { code: "ENOMEM" },
    };
    await expect(database.write({ sql: "DELETE FROM t" })).rejects.toMatchObject({
      ...unstartable,
      message: "The database process could not be started. Nothing was done.",
    });
    const count = { sql: "SELECT count(*) FROM t" };
    expect((await database.read(count)).rows).toEqual([[3]]);
    const before = workOf(database.children[0]?.pid);
    const read = database.read({ sql: ENDLESS }).catch((thrown: unknown) => thrown);
    await expect.poll(() => workOf(database.children[0]?.pid)).toBeGreaterThan(before + 10);
    failures = 1;
    database.children[0]?.kill("SIGKILL");
    expect(await read).toMatchObject(unstartable);
    expect((await database.read(count)).rows).toEqual([[3]]);
  });

  it("that was wanted in advance and could not be started is tried again", async () => {
    let execPath = "/nonexistent/node";
    const toFork = (): typeof fork =>
      ((file: string, args: string[], options: ForkOptions) =>
        fork(file, args, { ...options, execPath })) as typeof fork;
    const prepared = new WorkerProgram(built.url, toFork);
    prepared.prepare();
    const database = open({ file: scratch.create("a.db", TABLE), program: prepared });
    await expect(database.read({ sql: "SELECT 1" })).rejects.toMatchObject({
      code: "unavailable",
      cause: { code: "ENOENT" },
    });
    prepared.prepare();
    execPath = process.execPath;
    expect(await database.rows("SELECT 1")).toEqual([[1]]);
  });

  it("gets nothing of the environment, and is gone after dispose", async () => {
    const database = open({ file: scratch.create("a.db", TABLE) });
    const endless = database.read({ sql: ENDLESS });
    const refused = endless.catch((thrown: unknown) => thrown);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const pid = database.children[0]?.pid;
    const environment = process.platform === "linux" ? readFileSync(`/proc/${pid}/environ`, "utf8") : "";
    expect(
      environment.split("\0").filter((entry) => entry !== "" && !entry.startsWith("NODE_CHANNEL")),
    ).toEqual([]);
    await database.dispose();
    expect(await refused).toMatchObject({ code: "cancelled", message: "The database was closed." });
    expect(isAlive(pid)).toBe(false);
    await expect(database.read({ sql: "SELECT 1" })).rejects.toMatchObject({ code: "unavailable" });
  });
});
