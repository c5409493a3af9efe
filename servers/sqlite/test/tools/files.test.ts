import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from "node:fs";
import { createRequire } from "node:module";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { countOpenFiles } from "../domain/open-files.ts";
import { call, failureOf, textOf, useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;
const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");
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

describe("import_data", () => {
  it("adds the rows of a file, and says what it left out", async () => {
    const client = await served.connect({
      files: [scratch.create("app.db", "CREATE TABLE t (a, b AS (a * 2))")],
    });
    writeFileSync(exchange("t.csv"), "\uFEFFa,b\n1,7\n");
    const result = await client.callTool("import_data", { path: "t.csv", table_name: "T" });
    expect(result.structuredContent).toMatchObject({
      note: "The table computes ignored_columns itself.",
      untrusted: ["columns", "ignored_columns"],
      table: "t",
      rows: 1,
      ignored_columns: ["b"],
      changed: ["app"],
    });
    expect(textOf(result)).toMatch(
      /^1 row was added to "t" \(.*\):\n<untrusted-\w+>\na\nignored: b\n<\/untrusted-\w+>\nThe table computes ignored_columns itself/,
    );
    expect(await call(client, "read_query", { query: "SELECT * FROM t" })).toMatchObject({ rows: [[1, 2]] });
  });

  it("changes nothing when the file is no good, and closes it", async () => {
    const client = await served.connect({
      files: [scratch.create("app.db", "CREATE TABLE t (a INTEGER PRIMARY KEY)")],
    });
    // More than is read at once.
    const good = Array.from({ length: 50_000 }, (_, at) => `${at}\n`).join("");
    const files: Readonly<Record<string, [content: string | Buffer, code: string]>> = {
      "latin.csv": [Buffer.concat([Buffer.from(`a\n${good}`), Buffer.from([0xe9, 0x0a])]), "invalid_input"],
      "twice.csv": [`a\n${good}5\n`, "conflict"],
      "empty.csv": ["", "invalid_input"],
      "columns.csv": [`a,b\n`.padEnd(20, "1,2\n"), "not_found"],
      "quotes.csv": [`a\n${good}"1`, "invalid_input"],
      "lines.jsonl": ['{"a":1}\n{"a":', "invalid_input"],
    };
    await call(client, "read_query", { query: "SELECT 1" });
    for (const [path, [content, code]] of Object.entries(files)) {
      writeFileSync(exchange(path), content);
      expect(await failureOf(client, "import_data", { path, table_name: "t" }), path).toMatchObject({ code });
      expect(await call(client, "read_query", { query: "SELECT count(*) FROM t" }), path).toMatchObject({
        rows: [[0]],
      });
    }
    const before = countOpenFiles();
    for (let time = 0; time < 5; time += 1)
      await failureOf(client, "import_data", { path: "empty.csv", table_name: "t" });
    for (let time = 0; time < 5; time += 1)
      await failureOf(client, "import_data", { path: "twice.csv", table_name: "missing" });
    expect(countOpenFiles()).toBeLessThanOrEqual(before + 2);
  });

  it("looks at no row of a table that it may not make", async () => {
    const client = await served.connect({ files: [scratch.create("app.db", "CREATE TABLE t (a)")] });
    // To whoever looks at it, the row is malformed.
    writeFileSync(exchange("t.csv"), 'a\n"x"y\n');
    const args = { path: "t.csv", create: true };
    expect(await failureOf(client, "import_data", { ...args, table: "t" })).toMatchObject({
      code: "conflict",
    });
    expect(await failureOf(client, "import_data", { ...args, table: "new" })).not.toMatchObject({
      code: "conflict",
    });
  });

  it("says which values make text of a column of numbers", async () => {
    const client = await served.connect({ files: [":memory:"] });
    writeFileSync(exchange("t.csv"), "No;Amount\n1;1.105,50\n2;n/a\n3;7\n");
    const result = await client.callTool("import_data", { path: "t.csv", table: "t", create: true });
    expect(result.structuredContent).toMatchObject({
      note: expect.stringContaining("create the table first") as string,
      untrusted: ["columns", "mixed_columns"],
      mixed_columns: [{ name: "Amount", value: "n/a", record: 3 }],
    });
    expect(textOf(result)).toContain('\nAmount is TEXT because of "n/a" (record 3)\n');
  });

  it("says which words a table keeps among its numbers", async () => {
    const file = scratch.create("app.db", "CREATE TABLE t (No INTEGER, Amount REAL, Day DATE)");
    const client = await served.connect({ files: [file] });
    writeFileSync(exchange("t.csv"), "No;Amount;Day\n1;1.105,50;2024-01-02\n2;n/a;2024-01-03\n3;none;x1\n");
    const result = await client.callTool("import_data", { path: "t.csv", table: "t" });
    expect(result.structuredContent).toMatchObject({
      note: expect.stringContaining("sort above all numbers") as string,
      mixed_columns: [{ name: "Amount", value: "n/a", record: 3 }],
    });
    expect(textOf(result)).toContain('\nAmount is for numbers and holds "n/a" (record 3)\n');
  });

  it("asks for the names of all fields", async () => {
    const client = await served.connect({ files: [":memory:"] });
    writeFileSync(exchange("t.csv"), "a;b;c\n1;2;3\n");
    const args = { path: "t.csv", table: "t", create: true, columns: ["a", "b"] };
    expect(await failureOf(client, "import_data", args)).toMatchObject({
      text: expect.stringContaining("columns has to name every field of the file") as unknown,
    });
  });

  it("makes a table with types by all rows, wherever in the file they are", async () => {
    const client = await served.connect({ files: [":memory:"] });
    const many = Array.from({ length: 600 }, (_, at) => at);
    const rows = [...many.map((at) => `${10_000 + at},${at},,${at}`), "01550,1.5,7,x'00'"];
    writeFileSync(exchange("t.csv"), `zip,real,late,mixed\n${rows.join("\n")}\n`);
    const args = { path: "t.csv", table: "t", create: true };
    expect(await call(client, "import_data", args)).toMatchObject({
      rows: 601,
      columns: [
        { name: "zip", type: "TEXT" },
        { name: "real", type: "REAL" },
        { name: "late", type: "INTEGER" },
        { name: "mixed", type: "TEXT" },
      ],
    });
    const query = "SELECT zip, real, late FROM t WHERE rowid IN (1, 601)";
    expect(await call(client, "read_query", { query })).toMatchObject({
      rows: [
        ["10000", 0, null],
        ["01550", 1.5, 7],
      ],
    });
    writeFileSync(exchange("t.jsonl"), `${'{"a":null}\n'.repeat(600)}{"a":7}\n`);
    await call(client, "import_data", { path: "t.jsonl", table: "u", create: true });
    const last = { query: "SELECT a FROM u WHERE rowid = 601" };
    expect(await call(client, "read_query", last)).toMatchObject({ rows: [[7]] });
  });

  it("lets queries through meanwhile, and writes wait for it", async () => {
    const client = await served.connect({
      files: [scratch.create("app.db", "PRAGMA journal_mode = wal; CREATE TABLE t (a)")],
      busyTimeout: 50,
    });
    writeFileSync(exchange("t.csv"), `a\n${"x\n".repeat(150_000)}`);
    const state = { hasBegun: false, isDone: false };
    const onProgress = (): void => void (state.hasBegun = true);
    const importing = client
      .callTool("import_data", { path: "t.csv", table_name: "t" }, { onProgress })
      .finally(() => (state.isDone = true));
    await expect.poll(() => state.hasBegun, { interval: 1 }).toBe(true);
    const write = call(client, "write_query", { query: "INSERT INTO t VALUES ('late')" });
    let reads = 0;
    for (; !state.isDone; reads += 1) await call(client, "read_query", { query: "SELECT count(*) FROM t" });
    expect((await importing).isError).toBeFalsy();
    expect(await write).toMatchObject({ affected_rows: 1 });
    expect(reads).toBeGreaterThan(1);
    expect(await call(client, "read_query", { query: "SELECT count(*) FROM t" })).toMatchObject({
      rows: [[150_001]],
    });
  });

  it("reads only where it may", async () => {
    const client = await served.connect({ files: [scratch.create("app.db", "CREATE TABLE t (a)")] });
    writeFileSync(scratch.path("outside.csv"), "a\n1\n");
    symlinkSync(scratch.path("outside.csv"), exchange("link.csv"));
    for (const path of ["/etc/passwd", "../outside.csv", "link.csv"]) {
      expect(await failureOf(client, "import_data", { path, table_name: "t" }), path).toMatchObject({
        code: "permission_denied",
      });
    }
  });
});

describe("backup_database", () => {
  it("makes a copy that nobody may read who may not read the database", async () => {
    const file = scratch.create(
      "app.db",
      "PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1)",
    );
    chmodSync(file, 0o640);
    const client = await served.connect({ files: [file] });
    expect(await call(client, "backup_database", { path: "copy.db", dry_run: true })).toMatchObject({
      bytes: statSync(file).size,
    });
    expect(readdirSync(exchange())).toEqual([]);
    const done = await call(client, "backup_database", { path: "copy.db" });
    expect(done).toEqual({
      database: "app",
      bytes: statSync(exchange("copy.db")).size,
      changed: [exchange("copy.db")],
    });
    expect(statSync(exchange("copy.db")).mode & 0o777).toBe(0o640);
    expect(readdirSync(exchange())).toEqual(["copy.db"]);
    const copy = new Database(exchange("copy.db"));
    expect(copy.prepare("SELECT a FROM t").pluck().get()).toBe(1);
    copy.close();
    expect(await failureOf(client, "backup_database", { path: "copy.db" })).toMatchObject({
      code: "conflict",
    });
  });

  it.each([
    ["a log", "copy.db-wal", "PRAGMA journal_mode = wal; UPDATE t SET a = 'other';"],
    ["a journal", "copy.db-journal", "PRAGMA cache_size = 1; BEGIN; UPDATE t SET a = zeroblob(5000);"],
  ])("is not made beside %s of another copy, which would become a part of it", async (_, left, script) => {
    const file = scratch.create(
      "app.db",
      `CREATE TABLE t (a); ${"INSERT INTO t VALUES ('kept');".repeat(9)}`,
    );
    const client = await served.connect({ files: [file] });
    await call(client, "backup_database", { path: "copy.db" });
    // A program that is killed leaves it.
    const killed = `new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(exchange("copy.db"))}).exec(${JSON.stringify(script)});
      process.kill(process.pid, "SIGKILL");`;
    expect(spawnSync(process.execPath, ["-e", killed]).signal).toBe("SIGKILL");
    const before = scratch.snapshot();
    const conflict = { code: "conflict", text: expect.stringContaining(left) as string };
    const again = { path: "copy.db", overwrite: true };
    expect(await failureOf(client, "backup_database", { ...again, dry_run: true })).toMatchObject(conflict);
    expect(await failureOf(client, "backup_database", again)).toMatchObject(conflict);
    expect(scratch.snapshot()).toEqual(before);
    rmSync(exchange("copy.db"));
    expect(await failureOf(client, "backup_database", { path: "copy.db" })).toMatchObject(conflict);
    expect(readdirSync(exchange())).not.toContain("copy.db");
  });

  it("replaces a copy that somebody has looked at", async () => {
    const file = scratch.create("app.db", "PRAGMA journal_mode = wal; CREATE TABLE t (a)");
    const client = await served.connect({ files: [file] });
    await call(client, "backup_database", { path: "copy.db" });
    const copy = new Database(exchange("copy.db"), { readonly: true });
    copy.prepare("SELECT * FROM t").all();
    copy.close();
    expect(readdirSync(exchange())).toContain("copy.db-shm");
    await call(client, "backup_database", { path: "copy.db", overwrite: true });
    expect(readdirSync(exchange())).toContain("copy.db");
  });
});
