import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Fault } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { useDatabases } from "../scratch.ts";
import { workOf } from "./alive.ts";
import { ENDLESS, ENDLESS_WRITE, TABLE } from "./endless.ts";

const { scratch, open } = useDatabases();

/** Aborts as a deadline does, once the latest of the processes has worked on the statement. */
function soon(children: readonly ChildProcess[]): AbortSignal {
  const pid = children.at(-1)?.pid;
  const before = workOf(pid);
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (workOf(pid) < before + 10) return;
    clearInterval(timer);
    controller.abort(new DOMException("Enough", "TimeoutError"));
  }, 5);
  return controller.signal;
}

describe("a statement that never ends", () => {
  it("is killed when it is cancelled, and a write says what came of it", async () => {
    const file = scratch.create("a.db", TABLE);
    const before = readFileSync(file);
    const database = open({ file, mode: "write" });
    await database.read({ sql: "SELECT 1" });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    await expect(database.write({ sql: ENDLESS_WRITE }, controller.signal)).rejects.toMatchObject({
      code: "cancelled",
      message: "The call was cancelled. It was done completely or not at all: check before you repeat it.",
    });
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[3]]);
    expect(await database.write({ sql: "UPDATE t SET a = 5 WHERE a = 1", dryRun: true })).toMatchObject({
      changes: 1,
    });
    await database.dispose();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("does nothing at all when it was cancelled before it began", async () => {
    const database = open({ file: scratch.create("a.db", TABLE), mode: "write" });
    await expect(database.write({ sql: "DELETE FROM t" }, AbortSignal.abort())).rejects.toMatchObject({
      code: "cancelled",
      message: "The call was cancelled. Nothing was done.",
    });
    expect(database.children).toHaveLength(0);
  });
});

describe("others, when one is stopped", () => {
  it("get their answers from the next process, each exactly once", async () => {
    const database = open({ file: scratch.create("a.db", TABLE), mode: "write" });
    await database.read({ sql: "SELECT 1" });
    const endless = database.read({ sql: ENDLESS }, soon(database.children));
    const others = Array.from({ length: 20 }, (_, at) =>
      at % 5 === 4
        ? database.write({ sql: "INSERT INTO t VALUES (?)", params: [100 + at] })
        : database.read({ sql: "SELECT ?", params: [at] }),
    );
    await expect(endless).rejects.toMatchObject({ code: "timeout" });
    const results = await Promise.all(others);
    expect(results[3]).toMatchObject({ rows: [[3]] });
    expect(results[4]).toMatchObject({ changes: 1 });
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[7]]);
    expect(database.children).toHaveLength(2);
  });

  it("are not stopped by one that was still waiting", async () => {
    const database = open({ file: scratch.create("a.db", TABLE), mode: "write" });
    await database.read({ sql: "SELECT 1" });
    // Work enough to be overtaken, and nobody who stops it.
    const busy = database.read({
      sql: "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000) SELECT count(*) FROM n",
    });
    const controller = new AbortController();
    const cancelled = database.read({ sql: "SELECT 'cancelled'" }, controller.signal);
    const write = database.write({ sql: "DELETE FROM t" }, controller.signal);
    const later = database.read({ sql: "SELECT 'later'" });
    setTimeout(() => controller.abort(), 5);
    await expect(cancelled).rejects.toMatchObject({
      code: "cancelled",
      message: "The call was cancelled. Nothing was done.",
    });
    await expect(write).rejects.toMatchObject({
      code: "cancelled",
      message: "The call was cancelled. Nothing was done.",
    });
    expect((await busy).rows).toEqual([[1000000]]);
    // Now: the process may be replaced later, if it has no time to skip the cancelled one.
    expect(database.children).toHaveLength(1);
    expect((await later).rows).toEqual([["later"]]);
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[3]]);
  });

  it("hear that they were kept waiting until their own deadline", async () => {
    const database = open({ file: scratch.create("a.db", TABLE) });
    await database.read({ sql: "SELECT 1" });
    const controller = new AbortController();
    const endless = database.read({ sql: ENDLESS }, controller.signal);
    const deadline = new AbortController();
    const waiting = database.read({ sql: "SELECT 2" }, deadline.signal);
    deadline.abort(new Fault("timeout", "Too late.", { hint: "Ask for less." }));
    await expect(waiting).rejects.toMatchObject({
      code: "timeout",
      message: "Too late. Nothing was done. Another statement kept the database busy.",
      hint: "Try again.",
      retryable: true,
    });
    controller.abort();
    await expect(endless).rejects.toMatchObject({ code: "cancelled" });
  });

  it("hear that nothing was done where there was more to take in", async () => {
    const database = open({ file: scratch.create("a.db", TABLE), mode: "write" });
    const controller = new AbortController();
    const input = (async function* () {
      yield [{ columns: ["a"], from: 1, rows: [[9]] }];
      controller.abort();
      throw new Error("It is too late to read on.");
    })();
    const args = { table: "t", dryRun: false, skipBad: false, decimal: "." as const };
    const importing = database.task("import", args, controller.signal, { writes: true, input });
    await expect(importing).rejects.toMatchObject({
      code: "cancelled",
      message: "The call was cancelled. Nothing was done.",
    });
    expect(await database.rows("SELECT count(*) FROM t")).toEqual([[3]]);
  });

  // Only /proc tells that the endless one has begun.
  needs(it, "/proc")("do not wait for one that nobody waits for", async () => {
    const database = open({ file: scratch.create("a.db", TABLE) });
    await database.read({ sql: "SELECT 1" });
    const before = workOf(database.children[0]?.pid);
    const controller = new AbortController();
    const first = database.read({ sql: "SELECT 1" });
    const endless = database.read({ sql: ENDLESS }, controller.signal);
    const last = database.read({ sql: "SELECT 3" });
    await new Promise((resolve) => setTimeout(resolve, 0));
    // The endless one begins while this process is too busy to hear that the first one was answered.
    while (workOf(database.children[0]?.pid) < before + 10);
    controller.abort();
    await expect(endless).rejects.toMatchObject({ code: "cancelled" });
    expect([(await first).rows, (await last).rows]).toEqual([[[1]], [[3]]]);
    expect(database.children).toHaveLength(2);
  });

  it("can be sure: what was said not to be done is not done", async () => {
    const database = open({ file: scratch.create("a.db", TABLE), mode: "write" });
    const expected = 3;
    let wasCancelled = 0;
    for (let round = 0; round < 24; round += 1) {
      const controller = new AbortController();
      const read = database.read({ sql: "SELECT count(*) FROM t, t, t, t, t, t" });
      const write = database.write({ sql: "INSERT INTO t VALUES (9)" }, controller.signal);
      setTimeout(() => controller.abort(), round % 8);
      const outcome = await write.then(
        () => "done",
        (thrown: unknown) => (thrown as Error).message,
      );
      await read;
      const page = await database.read({ sql: "SELECT count(*) FROM t" });
      const count = page.rows[0]?.[0] as number;
      expect({ outcome, grown: count - expected }).toEqual({
        outcome,
        grown: outcome === "done" ? 1 : outcome.endsWith("Nothing was done.") ? 0 : count - expected,
      });
      wasCancelled += outcome === "done" ? 0 : 1;
      if (count > expected) await database.write({ sql: "DELETE FROM t WHERE a = 9" });
    }
    expect(wasCancelled).toBeGreaterThan(0);
  });

  it("are told when a database in memory went with it", async () => {
    const database = open({ file: ":memory:", mode: "write", allowDdl: true });
    await database.write({ sql: "CREATE TABLE t (a)" });
    const endless = database.read({ sql: ENDLESS }, soon(database.children));
    const other = database.read({ sql: "SELECT * FROM t" });
    const lost = "The in-memory database was lost with it: the next statement finds it empty.";
    await expect(endless).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining(lost) as string,
    });
    await expect(other).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(lost) as string,
    });
    expect(await database.rows("SELECT count(*) FROM sqlite_schema")).toEqual([[0]]);
  });
});
