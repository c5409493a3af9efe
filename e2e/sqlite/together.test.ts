import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { callTool, isGood, isModern, isOf, listen, type Revision, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { createDatabase, LIBRARY, rowsOf, withDirect } from "./direct.ts";
import { openSqlite } from "./program.ts";

const URI = "sqlite://app/table/t/rows";

const create = (mode: string): string =>
  createDatabase(join(createPlace(), "app.db"), `PRAGMA journal_mode = ${mode}; CREATE TABLE t (who, n);`);

/** A program without any of our code that writes as fast as it can. */
async function writeElsewhere(file: string, count: number): Promise<number | null> {
  const script = `
    const database = new (require(process.argv[1]))(process.argv[2], { timeout: 20000 });
    const insert = database.prepare("INSERT INTO t VALUES ('other', ?)");
    for (let n = 0; n < ${count}; n += 1) insert.run(n);
    database.close();`;
  const child = spawn(process.execPath, ["-e", script, LIBRARY, file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

/** One after the other; gives what went wrong. */
async function writeThrough(wire: Wire, who: string, count: number): Promise<readonly string[]> {
  const failures: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const response = await callTool(wire, "write_query", {
      query: "INSERT INTO t VALUES (?, ?)",
      params: [who, n],
    });
    if (!isGood(response)) failures.push(textOf(response));
  }
  return failures;
}

const countThrough = async (wire: Wire): Promise<number> => {
  const response = await callTool(wire, "read_query", { query: "SELECT count(*) AS n FROM t" });
  const count = /^1 row:\n.*\nn\n(\d+)\n/.exec(textOf(response))?.[1];
  if (count === undefined) throw new Error(textOf(response));
  return Number(count);
};

async function subscribe(wire: Wire): Promise<void> {
  if (isModern(wire.revision)) await listen(wire, { resourceSubscriptions: [URI] });
  else await wire.request("resources/subscribe", { uri: URI });
}

const isUpdate = isOf("notifications/resources/updated");

describe.each(["delete", "wal"])("in the journal mode %s", (mode) => {
  it.each<Revision>(["2025-11-25", "2026-07-28"])(
    "two write, and a third who looks only when told misses nothing, in %s",
    async (revision) => {
      const file = create(mode);
      const [one, other, third] = await Promise.all([
        openSqlite([file]),
        openSqlite([file]),
        openSqlite([file], { revision }),
      ]);
      await subscribe(third);
      const count = 100;
      const writing = Promise.all([
        writeThrough(one, "one", count),
        writeThrough(other, "other", count),
        writeElsewhere(file, count),
      ]);
      const total = 3 * count;
      let seen = 0;
      let looks = 0;
      while (seen < total) {
        await third.hear(isUpdate);
        const now = await countThrough(third);
        expect(now).toBeGreaterThanOrEqual(seen);
        seen = now;
        looks += 1;
      }
      expect(await writing).toEqual([[], [], 0]);
      expect(seen).toBe(total);
      expect(looks).toBeGreaterThan(1);
      expect(rowsOf(file, "SELECT who, count(DISTINCT n) FROM t GROUP BY who ORDER BY who")).toEqual([
        ["one", count],
        ["other", count],
      ]);
    },
  );

  it("each single change is told, however soon it follows the last", async () => {
    const file = create(mode);
    const wire = await openSqlite([file]);
    await subscribe(wire);
    for (let time = 1; time <= 15; time += 1) {
      withDirect(file, (database) => database.exec("INSERT INTO t VALUES ('x', 1)"));
      await wire.hear(isUpdate);
      expect(await countThrough(wire)).toBe(time);
    }
  });

  it("nobody is locked out whom a wait would have let in", async () => {
    const file = create(mode);
    const wires = await Promise.all(
      Array.from({ length: 4 }, () => openSqlite([file, "--busy-timeout", "20s"])),
    );
    const results = await Promise.all(
      wires.map(async (wire, at) => {
        const failures = await Promise.all(
          Array.from({ length: 4 }, async (_, lane) => writeThrough(wire, `${at}-${lane}`, 15)),
        );
        for (let time = 0; time < 10; time += 1) await countThrough(wire);
        return failures.flat();
      }),
    );
    expect(results.flat()).toEqual([]);
    expect(rowsOf(file, "SELECT count(*), count(DISTINCT who) FROM t")).toEqual([[240, 16]]);
  });

  it("a reader who goes on page by page keeps no writer out", async () => {
    const file = create(mode);
    withDirect(file, (database) =>
      database.exec(
        "INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000) SELECT 'x', i FROM r",
      ),
    );
    const [reader, writer] = await Promise.all([
      openSqlite([file]),
      openSqlite([file, "--busy-timeout", "2s"]),
    ]);
    const first = textOf(await callTool(reader, "read_query", { query: "SELECT * FROM t", limit: 10 }));
    expect(first).toMatch(/Continue with cursor/);
    expect(await writeThrough(writer, "late", 3)).toEqual([]);
    withDirect(file, (database) => database.exec("INSERT INTO t VALUES ('direct', 1)"), { timeout: 2000 });
  });
});
