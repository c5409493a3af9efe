import { describe, expect, it } from "vitest";
import { useLocalDatabases } from "../scratch.ts";
import { faultOf, SHOP } from "./failing.ts";

const { scratch, open } = useLocalDatabases();

describe("what is wrong with a query", () => {
  it("is said with the place and the name that was probably meant", async () => {
    const database = open({ file: scratch.create("a.db", SHOP) });
    const cases: [string, string, object][] = [
      ["SELECT * FORM customers", 'Syntax error near "FORM" at 1:10.', { line: 1, column: 10 }],
      ["SELECT a,\n  b,\n  FROM customers", 'Syntax error near "FROM" at 3:3.', { line: 3, column: 3 }],
      [
        "-- note\n  SELECT id, name, , email FROM customers",
        'Syntax error near "," at 2:20.',
        { line: 2, column: 20 },
      ],
      ["SELECT (1)) FROM customers WHERE (2)", 'Syntax error near ")" at 1:11.', { column: 11 }],
      ["SELECT '😀', FROM t", 'Syntax error near "FROM" at 1:13.', { column: 13 }],
      ["SELECT 'select', select", 'Syntax error near "select" at 1:18.', { column: 18 }],
      ["SELECT id FROM", "The statement is incomplete at 1:15.", { line: 1, column: 15 }],
      ["SELECT (1", "The statement is incomplete at 1:10.", { column: 10 }],
      [
        "SELECT * FROM custmers",
        "No such table: custmers at 1:15 (did you mean customers?).",
        { suggestion: "customers", column: 15 },
      ],
      ["SELECT * FROM main.custmers", "No such table: main.custmers at 1:20 (did you mean customers?).", {}],
      [
        "SELECT nmae FROM customers",
        "No such column: nmae at 1:8 (did you mean name?).",
        { suggestion: "name" },
      ],
      [
        "SELECT c.emial FROM customers AS c",
        "No such column: c.emial at 1:10 (did you mean email?).",
        { suggestion: "email" },
      ],
      ["SELECT zzz, zzz FROM customers", "No such column: zzz.", {}],
      [
        "SELECT lenght(name) FROM customers",
        "No such function: lenght at 1:8 (did you mean length?).",
        { suggestion: "length" },
      ],
      ["SELECT id FROM customers, orders, customers AS c", "Ambiguous column name: id.", {}],
      ["SELECT length() FROM customers", "Wrong number of arguments to function length().", {}],
      ["SELECT abs(-9223372036854775807 - 1)", "Integer overflow.", {}],
      ["SELECT json('{')", "Malformed JSON.", {}],
      [
        "SELECT json_extract('{}', 'x' || char(10, 10) || '<untrusted>')",
        String.raw`Bad JSON path: 'x\n\n<\untrusted>'.`,
        {},
      ],
      [`SELECT json_extract('{}', '${"x".repeat(400)}')`, `Bad JSON path: '${"x".repeat(284)}….`, {}],
    ];
    for (const [sql, message, details] of cases) {
      const fault = await faultOf(database.read({ sql }));
      expect({ sql, code: fault.code, message: fault.message }).toEqual({
        sql,
        code: "invalid_input",
        message,
      });
      expect(fault.details).toMatchObject(details);
    }
  });

  it("is said in few words, however long the names are", async () => {
    const database = open({ file: scratch.create("a.db", SHOP) });
    const fault = await faultOf(database.read({ sql: `SELECT ${"x".repeat(500_000)}` }));
    expect(fault.message.length).toBeLessThan(3000);
  });

  it("comes with advice where a name stands for text", async () => {
    const database = open({ file: scratch.create("a.db", SHOP) });
    const fault = await faultOf(database.read({ sql: 'SELECT * FROM customers WHERE email = "nobody@x"' }));
    expect(fault.message).toBe('No such column: "nobody@x" at 1:39.');
    expect(fault.hint).toBe("Text goes in single quotes; double quotes are for names.");
  });

  it("comes with the columns of the tables, where one is unknown", async () => {
    const wide = Array.from({ length: 32 }, (_, at) => `c${at}`);
    const file = scratch.create("a.db", `${SHOP}CREATE TABLE wide (${wide.join()})`);
    const database = open({ file, mode: "write" });
    const hintOf = async (sql: string): Promise<string | undefined> =>
      (await faultOf(database.read({ sql }))).hint;
    const customers = "customers has id, email, name, age, born.";
    expect(await hintOf("SELECT user_name FROM customers")).toBe(customers);
    expect(await hintOf("SELECT o.date FROM orders o JOIN customers c ON c.id = o.customer")).toBe(
      `${customers} orders has customer, line.`,
    );
    expect(await hintOf("SELECT x FROM wide")).toBe(`wide has ${wide.slice(0, 30).join(", ")} and 2 more.`);
    expect(await hintOf("SELECT x")).toBeUndefined();
    const writing = database.write({ sql: "INSERT INTO customers (x) VALUES (1)" });
    expect((await faultOf(writing)).hint).toBe(customers);
  });

  it("comes with some tables, and how many more there are", async () => {
    const names = Array.from({ length: 22 }, (_, at) => `t${at + 10}`);
    const script = names.map((name) => `CREATE TABLE ${name} (a);`).join("");
    const database = open({ file: scratch.create("a.db", script) });
    expect((await faultOf(database.read({ sql: "SELECT * FROM invoices" }))).hint).toBe(
      `There are: ${names.slice(0, 20).join(", ")} and 2 more.`,
    );
  });

  it("comes with what SQLite has in place of words of other dialects", async () => {
    const database = open({ file: scratch.create("a.db", SHOP) });
    const from = "FROM customers WHERE";
    const cases: [string, string, string][] = [
      ["SELECT now()", "No such function: now at 1:8.", "Use datetime('now')"],
      [
        `SELECT 1 ${from} DATE_TRUNC('month', born)`,
        "No such function: DATE_TRUNC at 1:31.",
        "Use strftime(",
      ],
      [`SELECT 1 ${from} EXTRACT(YEAR FROM born)`, 'Syntax error near "FROM" at 1:44.', "Use strftime("],
      [
        `SELECT 1 ${from} born < date() - INTERVAL '1 day'`,
        `near "'1 day'" at 1:56.`,
        "Use datetime(…, '+1 day')",
      ],
      [`SELECT 1 ${from} name ILIKE 'a%'`, 'Syntax error near "ILIKE" at 1:36.', "Use LIKE"],
      ["SELECT TOP 5 * FROM customers", 'Syntax error near "5" at 1:12.', "Use LIMIT at the end."],
      [
        "SELECT table_name FROM information_schema.tables",
        "No such table: information_schema.tables at 1:43.",
        "Use list_tables and describe_table.",
      ],
      [
        "SELECT * FROM other.customers",
        "No such table: other.customers at 1:21 (did you mean customers?).",
        "pass it as database, and name the table alone.",
      ],
      [
        "SELECT * FROM main.things",
        "No such table: main.things at 1:20.",
        "There are: customers, log, orders, typed.",
      ],
      ["SELECT * FROM generate_series(1, 9)", "No such table: generate_series", "Use WITH RECURSIVE"],
      ["SELECT id FROM order", 'Syntax error near "order" at 1:16.', "in double quotes if it is a keyword"],
      ["SELECT id FROM WHERE id = 1", 'Syntax error near "WHERE" at 1:16.', "A name goes there"],
      ["SELECT id a change FROM customers", 'Syntax error near "change" at 1:13.', "none"],
      ["SELECT * FROM least", "No such table: least at 1:15.", "There are: customers, log, orders, typed."],
      ["SELECT c.top 5 FROM customers c", 'Syntax error near "5" at 1:14.', "none"],
      ["SELECT top FORM customers", 'Syntax error near "customers" at 1:17.', "none"],
    ];
    for (const [sql, message, hint] of cases) {
      const fault = await faultOf(database.read({ sql }));
      expect(fault.message).toContain(message);
      expect(fault.hint ?? "none").toContain(hint);
    }
  });

  it("comes with what SQLite has in place of other ways to define columns", async () => {
    const database = open({ file: scratch.create("a.db", SHOP), mode: "write", allowDdl: true });
    const cases: [string, string][] = [
      ["CREATE TABLE t (id INT AUTOINCREMENT)", "Use INTEGER PRIMARY KEY"],
      ["ALTER TABLE customers MODIFY COLUMN age TEXT", "The type of a column cannot be changed"],
      ["ALTER TABLE customers ALTER COLUMN age TYPE TEXT", "The type of a column cannot be changed"],
      ["UPDATE order SET id = 1", "A name goes there"],
    ];
    for (const [sql, hint] of cases) {
      expect((await faultOf(database.write({ sql }))).hint).toContain(hint);
    }
    const sql = "INSERT INTO customers (id) VALUES (1) ON CONFLICT (id) DO UPDATE age = 2";
    expect((await faultOf(database.write({ sql }))).hint).toBeUndefined();
  });

  it("is told from what is wrong with a full-text query", async () => {
    const file = scratch.create(
      "a.db",
      "CREATE VIRTUAL TABLE docs USING fts5 (title); INSERT INTO docs VALUES ('a')",
    );
    const database = open({ file, mode: "write" });
    const cases: [string, string][] = [
      ["full-text", "no such column: text"],
      ["C++", 'fts5: syntax error near "+"'],
      ['"a', "unterminated string"],
    ].map(([query = "", words = ""]) => [query, `The full-text query is not valid: ${words}.`]);
    for (const [query, message] of cases) {
      const expected = {
        code: "invalid_input",
        message,
        hint: expect.stringContaining("in double quotes") as string,
      };
      const [sql, params] = [" FROM docs WHERE docs MATCH ?", [query]];
      expect(await faultOf(database.read({ sql: `SELECT title${sql}`, params }))).toMatchObject(expected);
      expect(await faultOf(database.write({ sql: `DELETE${sql}`, params }))).toMatchObject(expected);
    }
    expect(await faultOf(database.read({ sql: "SELECT x FROM docs WHERE docs MATCH 'C++'" }))).toMatchObject({
      message: "No such column: x at 1:8.",
    });
  });

  it("is not taken for a full-text query where there is none, or where quotes are no help", async () => {
    const file = scratch.create(
      "a.db",
      `CREATE TABLE pages (title); CREATE VIRTUAL TABLE docs USING fts5 (title, body, content = pages);
      INSERT INTO pages VALUES ('a'); CREATE VIEW tall AS SELECT height FROM pages;
      CREATE VIRTUAL TABLE words USING fts5 (word, detail = none); INSERT INTO words VALUES ('a');
      CREATE TABLE notes_data (x);`,
    );
    const database = open({ file, mode: "write", allowDdl: true });
    const cases: [string, string][] = [
      ["SELECT * FROM pragma_table_info('tall')", "No such column: height."],
      ["SELECT * FROM docs", "No such column: T.body."],
      [
        `SELECT * FROM words WHERE words MATCH '"a b"'`,
        "Fts5: phrase queries are not supported (detail!=full).",
      ],
    ];
    for (const [sql, message] of cases) {
      expect(await faultOf(database.read({ sql }))).toMatchObject({ message });
    }
    expect(await faultOf(database.write({ sql: "CREATE VIRTUAL TABLE notes USING fts5 (x)" }))).toMatchObject(
      {
        message: "Fts5: error creating shadow table notes_data: table 'notes_data' already exists.",
      },
    );
  });

  it("is told from what is wrong with a definition that it uses", async () => {
    const file = scratch.create(
      "a.db",
      `${SHOP}CREATE TABLE old (x); CREATE VIEW of_old AS SELECT x FROM old; DROP TABLE old;
      CREATE VIEW tall AS SELECT height FROM customers; CREATE TABLE child (a REFERENCES parent);`,
    );
    const database = open({ file, mode: "write", allowDdl: true });
    const elsewhere =
      "The definition of a table, view or trigger that the statement uses names it: describe_table shows it.";
    expect(await faultOf(database.read({ sql: "SELECT * FROM of_old" }))).toMatchObject({
      message: "No such table: main.old.",
      hint: elsewhere,
    });
    expect(await faultOf(database.read({ sql: "SELECT * FROM tall, customers" }))).toMatchObject({
      message: "No such column: height.",
      hint: elsewhere,
    });
    expect(await faultOf(database.write({ sql: "INSERT INTO child VALUES (1)" }))).toMatchObject({
      message: "No such table: main.parent.",
      hint: elsewhere,
    });
    expect((await faultOf(database.read({ sql: 'SELECT * FROM main."c.d"' }))).hint).toMatch(/^There are: /);
    const own: [sql: string, message: string][] = [
      ["SELECT [a.b] FROM customers", "No such column: a.b at 1:8."],
      ['SELECT c."A.b" FROM customers c', "No such column: c.A.b at 1:10."],
      ["ALTER TABLE customers DROP COLUMN size", 'No such column: "size" at 1:35.'],
      ["ALTER TABLE customers RENAME [size] TO length", 'No such column: "[size]" at 1:30.'],
    ];
    for (const [sql, message] of own) {
      const failed = sql.startsWith("SELECT") ? database.read({ sql }) : database.write({ sql });
      expect(await faultOf(failed)).toMatchObject({
        message,
        hint: "customers has id, email, name, age, born.",
      });
    }
    expect(await faultOf(database.write({ sql: "ALTER TABLE customers DROP COLUMN born" }))).toMatchObject({
      message: expect.stringMatching(/^Error in view (of_old|tall): no such /) as string,
    });
  });

  it("is found while the rows come, and the next query works", async () => {
    const database = open({ file: scratch.create("a.db", SHOP) });
    const sql = "SELECT abs(x) FROM (SELECT 1 AS x UNION ALL SELECT -9223372036854775808)";
    expect((await faultOf(database.read({ sql }))).message).toBe("Integer overflow.");
    expect(await faultOf(database.read({ sql: "SELECT zeroblob(3000000000)" }))).toMatchObject({
      code: "too_large",
      message: expect.stringContaining("too big") as string,
    });
    expect(await database.rows("SELECT 1")).toEqual([[1]]);
  });
});
