import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { countOpenFiles } from "../domain/open-files.ts";
import { call, failureOf, textOf, useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;
const exchange = (name = ""): string => scratch.path(`exchange/${name}`);

const MANY = `CREATE TABLE t (a, b); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 200000)
  SELECT i, printf('%.*c', 100, 'x') FROM r;`;

describe("export_data", () => {
  it("writes a table or a query, whole", async () => {
    const file = scratch.create("app.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)");
    chmodSync(file, 0o400);
    const client = await served.connect({ files: [file] });
    const result = await client.callTool("export_data", { path: "t.csv", table_name: "t" });
    expect(result.structuredContent).toEqual({
      database: "app",
      rows: 2,
      bytes: 9,
      changed: [exchange("t.csv")],
    });
    expect(textOf(result)).toBe(`2 rows, 9 bytes were written to "${exchange("t.csv")}".`);
    expect(readFileSync(exchange("t.csv"), "utf8")).toBe("a\r\n1\r\n2\r\n");
    // Nobody may read it who may not read the database.
    expect(statSync(exchange("t.csv")).mode & 0o777).toBe(0o600);
    await call(client, "export_data", {
      path: "q.jsonl",
      query: "SELECT a FROM t WHERE a = :a",
      params: { a: 2 },
    });
    expect(readFileSync(exchange("q.jsonl"), "utf8")).toBe('{"a":2}\n');
    expect(readdirSync(exchange()).toSorted()).toEqual(["q.jsonl", "t.csv"]);
  });

  it("can be tried, and replaces nothing unless told", async () => {
    const client = await served.connect({ files: [scratch.create("app.db", "CREATE TABLE t (a)")] });
    const args = { path: "t.csv", table_name: "t" };
    expect(await call(client, "export_data", { ...args, dry_run: true })).toMatchObject({
      bytes: 3,
      dry_run: true,
    });
    expect(readdirSync(exchange())).toEqual([]);
    writeFileSync(exchange("t.csv"), "precious");
    expect(await failureOf(client, "export_data", args)).toMatchObject({ code: "conflict" });
    expect(await failureOf(client, "export_data", { ...args, dry_run: true })).toMatchObject({
      code: "conflict",
    });
    expect(readFileSync(exchange("t.csv"), "utf8")).toBe("precious");
    await call(client, "export_data", { ...args, overwrite: true });
    expect(readFileSync(exchange("t.csv"), "utf8")).toBe("a\r\n");
  });

  it("leaves nothing behind when it fails or is stopped", async () => {
    const client = await served.connect({ files: [scratch.create("app.db", MANY)] });
    const failing = {
      path: "x.csv",
      query: "SELECT abs(CASE a WHEN 150000 THEN -9223372036854775808 ELSE a END) FROM t",
    };
    const before = countOpenFiles();
    expect(await failureOf(client, "export_data", failing)).toMatchObject({ code: "invalid_input" });
    expect(await failureOf(client, "export_data", { path: "x.csv", table_name: "missing" })).toMatchObject({
      code: "not_found",
    });
    const controller = new AbortController();
    const progress: number[] = [];
    const onProgress = (params: Record<string, unknown>): void => {
      progress.push(Number(params["progress"]));
      controller.abort();
    };
    const stopped = client.callTool(
      "export_data",
      { path: "x.csv", table_name: "t" },
      { signal: controller.signal, onProgress },
    );
    await expect(stopped).rejects.toThrow(/abort|cancel/i);
    await expect.poll(() => readdirSync(exchange())).toEqual([]);
    expect(progress.length).toBeGreaterThan(0);
    await expect.poll(countOpenFiles).toBeLessThanOrEqual(before + 1);
    expect(await call(client, "export_data", { path: "x.csv", table_name: "t" })).toMatchObject({
      rows: 200_000,
    });
  });

  it("writes only where it may", async () => {
    const file = scratch.create("exchange.db", "CREATE TABLE t (a)");
    mkdirSync(exchange(".git"), { recursive: true });
    writeFileSync(scratch.path("outside.csv"), "outside");
    symlinkSync(scratch.path("outside.csv"), exchange("link.csv"));
    symlinkSync(file, exchange("app.db"));
    const inside = exchange("inside.db");
    new Database(inside).exec("CREATE TABLE t (a)").close();
    const client = await served.connect({ files: [inside] });
    const before = readFileSync(inside);
    for (const path of [
      "../outside.csv",
      "link.csv",
      scratch.path("new.csv"),
      ".git/config",
      "inside.db",
      "inside.db-wal",
      "INSIDE.db/../inside.db",
      "app.db",
    ]) {
      const failure = await failureOf(client, "export_data", {
        path,
        table: "t",
        overwrite: true,
        format: "csv",
      });
      expect(failure, path).toMatchObject({ code: "permission_denied" });
      expect(await failureOf(client, "backup_database", { path, overwrite: true }), path).toMatchObject({
        code: "permission_denied",
      });
    }
    expect(await failureOf(client, "export_data", { path: "no/t.csv", table_name: "t" })).toMatchObject({
      code: "not_found",
    });
    expect(readFileSync(scratch.path("outside.csv"), "utf8")).toBe("outside");
    expect(readFileSync(inside)).toEqual(before);
    expect(existsSync(scratch.path("new.csv"))).toBe(false);
  });

  it("wants one thing to write", async () => {
    const client = await served.connect({ files: [":memory:"] });
    for (const args of [{}, { table_name: "t", query: "SELECT 1" }, { table_name: "t", params: [1] }]) {
      expect(await failureOf(client, "export_data", { path: "x.csv", ...args })).toMatchObject({
        code: "invalid_input",
      });
    }
  });
});
