import { describe, expect, it, vi } from "vitest";
import { readRecords } from "../../../../src/domain/transfer/read-records.ts";
import { ConnectionPool } from "../../../../src/domain/worker/connection-pool.ts";
import { importTask } from "../../../../src/domain/worker/tasks/import.ts";
import { type OpenedDatabase, useLocalDatabases } from "../../scratch.ts";
import { inPieces } from "../../transfer/pieces.ts";
import { importAll } from "./transfer.ts";

const { scratch, open } = useLocalDatabases();

describe("an import", () => {
  const into = (script: string): OpenedDatabase =>
    open({ file: scratch.create("a.db", script), mode: "write" });
  const rowsOf = (database: OpenedDatabase): Promise<unknown> => database.rows("SELECT * FROM t");

  it("leaves columns that the file has not to their defaults", async () => {
    const database = into("CREATE TABLE t (a, b DEFAULT 'x', c DEFAULT 7)");
    await importAll(database, "t", "csv", "C,a\n1,2\n");
    await importAll(database, "t", "jsonl", '{"a":3}\n{"b":null}\n{}\n');
    expect(await rowsOf(database)).toEqual([
      [2, "x", 1],
      [3, "x", 7],
      [null, null, 7],
      [null, "x", 7],
    ]);
  });

  it(
    "prepares no statement for each line with other columns: one may take long",
    { timeout: 20_000 },
    async () => {
      const names = Array.from({ length: 12 }, (_, at) => `c${at}`);
      const steps = "UPDATE t SET c0 = 1 WHERE id = 0; ".repeat(500);
      const database =
        into(`CREATE TABLE t (id INTEGER PRIMARY KEY, ${names.join()}, d AS (c0 + c1), e DEFAULT 7);
        CREATE TRIGGER g AFTER INSERT ON t WHEN NEW.id = 0 BEGIN ${steps} END`);
      const lines = Array.from({ length: 2 ** names.length }, (_, bits) =>
        JSON.stringify(
          Object.fromEntries(names.flatMap((name, at) => ((bits >> at) & 1 ? [[name, at]] : []))),
        ),
      );
      await importAll(database, "t", "jsonl", lines.join("\n"));
      expect(await database.rows("SELECT max(id), count(c0), sum(c11), count(d), sum(e) FROM t")).toEqual([
        [4096, 2048, 2048 * 11, 1024, 4096 * 7],
      ]);
    },
  );

  it("sets only the columns of the file, which may have few of very many", async () => {
    const file = scratch.create("a.db", "CREATE TABLE t (a, b, c)");
    const library = { unfit: undefined, toLoadFault: () => undefined };
    const options = {
      file,
      mode: "write",
      allowDdl: false,
      busyTimeoutMs: 100,
      memoryBytes: 2 ** 28,
    } as const;
    const pool = new ConnectionPool(options, library);
    const admit = vi.spyOn(pool, "admit");
    await importTask(
      { table: "t", dryRun: false, skipBad: false, decimal: "." },
      {
        pool,
        progress: () => undefined,
        emit: async () => undefined,
        input: readRecords(inPieces(["b\n1\n2\n"]), { format: "csv" }),
      },
    );
    pool.close();
    expect(admit.mock.lastCall?.[0]).toBe('INSERT INTO "t" ("b") VALUES (?)');
  });

  it("converts as the table says, strict or not", async () => {
    const database = into("CREATE TABLE t (i INT, r REAL, s TEXT, b BLOB, x ANY) STRICT");
    await importAll(database, "t", "csv", 'i,r,s,b,x\n1,2,03,x\'00\',4\n"1","2","3",,"4"\n');
    const { rows } = await database.read({
      sql: "SELECT typeof(i), typeof(r), s, typeof(b), typeof(x) FROM t",
    });
    expect(rows).toEqual([
      ["integer", "real", "03", "blob", "integer"],
      ["integer", "real", "3", "null", "text"],
    ]);
    await expect(importAll(database, "t", "csv", "i\n1\nabc\n")).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(
        /^Row 2 cannot be imported, so nothing was\. The type does not fit/,
      ) as string,
      details: { row: 2 },
    });
  });

  it("that fails changes nothing, and leaves no lock", async () => {
    const database = into("CREATE TABLE t (a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'here')");
    for (const [what, format, text, message, code] of [
      [
        "a value that is there already",
        "csv",
        "a\n2\n1\n",
        /^Row 2 cannot be imported, so nothing was\. A row with the same t\.a already exists/,
        "conflict",
      ],
      ["a column that is not there", "csv", "a,nme\n2,x\n", /^Row 1 .*t has no column "nme"/, "not_found"],
      ["a column that differs in a mark", "csv", "a,b#\n2,x\n", /^Row 1 .*t has no column "b#"/, "not_found"],
      ["a column that comes twice", "csv", "a,A\n2,3\n", /two columns for "a"/, "invalid_input"],
      [
        "a later line with a column that is not there",
        "jsonl",
        '{"a":2}\n{"z":3}\n',
        /^Row 2 .*no column "z"/,
        "not_found",
      ],
      [
        "something in a line that is no value",
        "jsonl",
        '{"a":2}\n{"a":{"$int":"x"}}\n',
        /^Row 2 .*The value of a cannot be bound/,
        "invalid_input",
      ],
      ["a line that is broken", "jsonl", '{"a":2}\n{"a":\n', /^Line 2 is not JSON/, "invalid_input"],
      ["a record that is short", "csv", "a,b\n2,3\n4\n", /^Record 3 has 1 field,/, "invalid_input"],
    ] as const) {
      await expect.soft(importAll(database, "t", format, text), what).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
      });
      expect.soft(await rowsOf(database), what).toEqual([[1, "here"]]);
      const next = await database.write({ sql: "UPDATE t SET b = 'here'" });
      expect.soft(next, what).toMatchObject({ changes: 1 });
    }
  });

  it.each([
    ["TABLE t (a INT, b)", [[501, "00501"]]],
    ["TABLE t (a INTEGER PRIMARY KEY, b REAL) WITHOUT ROWID", [[501, 501]]],
    ["VIRTUAL TABLE t USING fts5(a, b)", [["00501", "00501"]]],
  ])("that is tried shows what would be stored in a %s", async (table, sample) => {
    const database = into(`CREATE ${table}`);
    const tried = await importAll(database, "t", "csv", "a,b\n00501,00501\n", { dryRun: true });
    expect(tried).toMatchObject({ rows: 1, sample });
  });

  it("that is tried shows every column of lines with other keys each", async () => {
    const database = into("CREATE TABLE t (a INT, b INT, c DEFAULT 'none', d)");
    const text = '{"a":1,"b":2}\n{"b":3,"a":4}\n{"c":"x","a":5}\n';
    const { columns, sample } = await importAll(database, "t", "jsonl", text, { dryRun: true });
    expect(columns.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(sample).toEqual([
      [1, 2, "none"],
      [4, 3, "none"],
      [5, null, "x"],
    ]);
  });

  it.each([
    ["a conflict", "CREATE TABLE t (a INTEGER PRIMARY KEY ON CONFLICT IGNORE, b)"],
    [
      "a trigger",
      `CREATE TABLE t (a, b); CREATE TABLE log (n);
      CREATE TRIGGER g BEFORE INSERT ON t WHEN EXISTS (SELECT 1 FROM t WHERE a = NEW.a)
      BEGIN INSERT INTO log VALUES (1); SELECT RAISE(IGNORE); END`,
    ],
  ])("does not count rows that the table leaves out by %s", async (_, script) => {
    const database = into(`${script}; INSERT INTO t VALUES (1, 'here')`);
    const expected = {
      rows: 2,
      sample: [
        [2, "x"],
        [3, "x"],
      ],
      skipped: 2,
      reasons: [2, 4].map((record) => ({ record, reason: "The table ignored it." })),
    };
    const text = "a,b\n1,x\n2,x\n2,x\n3,x\n";
    expect(await importAll(database, "t", "csv", text, { dryRun: true })).toMatchObject(expected);
    expect(await importAll(database, "t", "csv", text)).toMatchObject(expected);
    expect(await rowsOf(database)).toEqual([
      [1, "here"],
      [2, "x"],
      [3, "x"],
    ]);
  });

  it("counts rows that go through a view", async () => {
    const database = into(`CREATE TABLE s (a); CREATE VIEW t AS SELECT a FROM s;
      CREATE TRIGGER g INSTEAD OF INSERT ON t BEGIN INSERT INTO s VALUES (NEW.a);
        SELECT raise(IGNORE) WHERE NEW.a = 2; END`);
    const expected = { rows: 2, skipped: 0, sample: [[1], [2]] };
    expect(await importAll(database, "t", "csv", "a\n1\n2\n", { dryRun: true })).toMatchObject(expected);
    expect(await importAll(database, "t", "csv", "a\n1\n2\n")).toMatchObject(expected);
    expect(await rowsOf(database)).toEqual([[1], [2]]);
  });

  it.each([
    ["csv", "a,b\n1,x\n2\n\n1,y\n3,z\n", [3, 5]],
    ["jsonl", '{"a":1}\n2\n\n{"a":1}\n{"a":3}\n', [2, 4]],
  ] as const)(
    "of %s names the records that it leaves out as the file has them",
    async (format, text, records) => {
      const database = into("CREATE TABLE t (a UNIQUE, b)");
      const { rows, reasons } = await importAll(database, "t", format, text, { skipBad: true });
      expect({ rows, records: reasons.map(({ record }) => record) }).toEqual({ rows: 2, records });
    },
  );

  it("goes through the policy: a trigger may do no more than any statement", async () => {
    const database =
      into(`CREATE TABLE t (a); CREATE TABLE s (x); INSERT INTO s VALUES (1); CREATE INDEX i ON s (x); ANALYZE;
      CREATE TRIGGER hidden AFTER INSERT ON t BEGIN DELETE FROM sqlite_stat1; END;`);
    await expect(importAll(database, "t", "csv", "a\n1\n")).rejects.toMatchObject({
      code: "permission_denied",
    });
    expect(await rowsOf(database)).toEqual([]);
  });

  it("is refused where nothing may be written", async () => {
    const database = open({ file: scratch.create("a.db", "CREATE TABLE t (a)") });
    await expect(importAll(database, "t", "csv", "a\n1\n")).rejects.toMatchObject({
      code: "permission_denied",
    });
  });
});
