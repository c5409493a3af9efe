import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { countOpenFiles } from "../domain/open-files.ts";
import { call, failureOf, textOf, useServed, useServedApart } from "../served.ts";

const served = useServed();
const { scratch } = served;
const apart = useServedApart();
const exchange = (name = ""): string => scratch.path(`exchange/${name}`);

describe("import_data", () => {
  it("changes nothing when the file is no good, and closes it", async () => {
    const client = await served.connect({
      files: [scratch.create("app.db", "CREATE TABLE t (a INTEGER PRIMARY KEY, b)")],
    });
    // More than is read at once.
    const good = Array.from({ length: 500 }, (_, at) => `${at},${"x".repeat(1000)}\n`).join("");
    const files: Readonly<Record<string, [content: string | Buffer, code: string]>> = {
      "latin.csv": [
        Buffer.concat([Buffer.from(`a,b\n${good}`), Buffer.from([0xe9, 0x2c, 0x0a])]),
        "invalid_input",
      ],
      "twice.csv": [`a,b\n${good}5,\n`, "conflict"],
      "empty.csv": ["", "invalid_input"],
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
    const file = scratch.create(
      "app.db",
      "CREATE TABLE t (No INTEGER, Amount STRING, Day DATE, Name ENUM, Price DECIMAL(9, 2))",
    );
    const client = await served.connect({ files: [file] });
    const rows = ["2;n/a;2024-01-03;b;free", "1;1.105,50;2024-01-02;a;free", "3;none;x1;c;free"];
    writeFileSync(exchange("t.csv"), ["No;Amount;Day;Name;Price", ...rows, ""].join("\n"));
    const result = await client.callTool("import_data", { path: "t.csv", table: "t" });
    expect(result.structuredContent).toMatchObject({
      note: expect.stringContaining("sort above all numbers") as string,
      mixed_columns: [
        { name: "Amount", value: "n/a", record: 2 },
        { name: "Price", value: "free", record: 2 },
      ],
    });
    expect(textOf(result)).toContain('\nAmount is for numbers and holds "n/a" (record 2)\n');
  });

  it("says that names take the place of a header", async () => {
    const client = await served.connect({ files: [":memory:"] });
    writeFileSync(exchange("t.csv"), "1,a\n2,b\n");
    const args = { path: "t.csv", table: "t", create: true, columns: ["n", "t"], dry_run: true };
    expect(await call(client, "import_data", args)).toMatchObject({
      rows: 1,
      note: expect.stringContaining("The first line was left out as a header.") as string,
    });
    for (const header of [true, false]) {
      const { note } = await call(client, "import_data", { ...args, header });
      expect(note).toBe("Dry run: nothing was changed.");
    }
    writeFileSync(exchange("t.jsonl"), '{"a":1}\n');
    expect(await failureOf(client, "import_data", { ...args, path: "t.jsonl" })).toMatchObject({
      code: "invalid_input",
      text: "columns is for CSV: each line of JSON names its own.",
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

  it.each([
    ["lines", "t.jsonl", '{"a":1}\n{"B":2,"A":3}\n{"b":null}\n{}\n'],
    ["items of an array", "t.json", '[\n  {"a":1},\n  {"B":2,\n"A":3},\n  {"b":null},\n  {}\n]\n'],
  ])("makes a table with the columns of all %s", async (_, path, text) => {
    const client = await served.connect({ files: [":memory:"] });
    writeFileSync(exchange(path), text);
    const args = { path, table: "t", create: true };
    const rows = [
      [1, null],
      [3, 2],
      [null, null],
    ];
    expect(await call(client, "import_data", { ...args, dry_run: true })).toMatchObject({ sample: rows });
    await call(client, "import_data", args);
    expect(await call(client, "read_query", { query: "SELECT * FROM t" })).toMatchObject({
      columns: [{ name: "a" }, { name: "B" }],
      rows: [...rows, [null, null]],
    });
  });

  it("keeps what is nested in a line as JSON, and integers of more than 64 bits as text", async () => {
    const client = await served.connect({ files: [":memory:"] });
    writeFileSync(
      exchange("t.jsonl"),
      '{"id":1,"tags":["a", 1.0],"hash":1}\n{"id":2,"tags":{},"hash":18446744073709551615}\n',
    );
    const args = { path: "t.jsonl", table: "t", create: true };
    const columns = [
      { name: "id", type: "INTEGER" },
      { name: "tags", type: "TEXT" },
      { name: "hash", type: "TEXT" },
    ];
    const rows = [
      [1, '["a", 1.0]', "1"],
      [2, "{}", "18446744073709551615"],
    ];
    expect(await call(client, "import_data", { ...args, dry_run: true })).toMatchObject({
      columns,
      sample: rows,
    });
    expect(await call(client, "import_data", args)).toMatchObject({ columns, rows: 2 });
    expect(await call(client, "read_query", { query: "SELECT * FROM t" })).toMatchObject({ rows });
    const query = "SELECT tags ->> 0, typeof(tags ->> 1) FROM t WHERE id = 1";
    expect(await call(client, "read_query", { query })).toMatchObject({ rows: [["a", "real"]] });
  });

  it("lets queries through meanwhile, and writes wait for it", async () => {
    const client = await apart.connect({
      files: [apart.scratch.create("app.db", "PRAGMA journal_mode = wal; CREATE TABLE t (a)")],
      busyTimeout: 50,
    });
    writeFileSync(apart.scratch.path("exchange/t.csv"), `a\n${"x\n".repeat(50_000)}`);
    await call(client, "read_query", { query: "SELECT 1" });
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
      rows: [[50_001]],
    });
  });
});
