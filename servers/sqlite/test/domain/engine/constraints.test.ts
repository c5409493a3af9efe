import { describe, expect, it } from "vitest";
import { useLocalDatabases } from "../scratch.ts";
import { faultOf, SHOP } from "./failing.ts";

const { scratch, open } = useLocalDatabases();

describe("a constraint that does not hold", () => {
  it("is named with what it is about", async () => {
    const database = open({ file: scratch.create("a.db", SHOP), mode: "write" });
    const cases: [string, string, string, object][] = [
      [
        "INSERT INTO customers VALUES (1, 'b@x', 'Bob', 1, NULL)",
        "conflict",
        "A row with the same customers.id already exists (UNIQUE constraint failed: customers.id).",
        { constraint: "primarykey", columns: ["customers.id"] },
      ],
      [
        "INSERT INTO customers VALUES (2, 'a@x', 'Bob', 1, NULL)",
        "conflict",
        "A row with the same customers.email already exists (UNIQUE constraint failed: customers.email).",
        { constraint: "unique", columns: ["customers.email"] },
      ],
      [
        "INSERT INTO orders VALUES (1, 1), (1, 1)",
        "conflict",
        "A row with the same orders.customer, orders.line already exists (UNIQUE constraint failed: orders.customer, orders.line).",
        { columns: ["orders.customer", "orders.line"] },
      ],
      [
        "INSERT INTO typed VALUES ('x')",
        "invalid_input",
        "The type does not fit: cannot store TEXT value in INTEGER column typed.n.",
        { constraint: "datatype" },
      ],
      [
        "INSERT INTO log VALUES ('x')",
        "conflict",
        "A trigger refused it: the log is closed.",
        { constraint: "trigger" },
      ],
      [
        "INSERT INTO customers (id, name) VALUES ('x', 'y')",
        "invalid_input",
        "A value has the wrong type for its column (datatype mismatch).",
        { sqlite: "SQLITE_MISMATCH" },
      ],
      [
        "INSERT INTO customers VALUES (1)",
        "invalid_input",
        "Table customers has 5 columns but 1 values were supplied.",
        {},
      ],
    ];
    for (const [sql, code, message, details] of cases) {
      const fault = await faultOf(database.write({ sql, sample: 1 }));
      expect({ sql, code: fault.code, message: fault.message }).toEqual({ sql, code, message });
      expect(fault.details).toMatchObject(details);
    }
  });

  it("comes with the tables that stand in the way of a deletion, also behind others that it takes along", async () => {
    const file = scratch.create(
      "a.db",
      `CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES A ON DELETE CASCADE);
      CREATE TABLE c (b REFERENCES b); CREATE TABLE d (id INTEGER PRIMARY KEY, a REFERENCES a ON DELETE SET NULL); CREATE TABLE e (d REFERENCES d);
      INSERT INTO a VALUES (1); INSERT INTO b VALUES (1, 1); INSERT INTO c VALUES (1);`,
    );
    const database = open({ file, mode: "write" });
    const fault = await faultOf(database.write({ sql: "DELETE FROM a" }));
    expect(fault.hint).toBe("Delete the rows that point to it (in c) first, or point them elsewhere.");
  });

  it("comes with the table of the key that it breaks, of several, and of the row that it would replace", async () => {
    const file = scratch.create(
      "a.db",
      `CREATE TABLE a (id INTEGER PRIMARY KEY, name UNIQUE); CREATE TABLE b (id INTEGER PRIMARY KEY);
      CREATE TABLE both (a REFERENCES A, b REFERENCES b);
      INSERT INTO a VALUES (1, 'x'); INSERT INTO b VALUES (1); INSERT INTO both VALUES (1, 1);`,
    );
    const database = open({ file, mode: "write" });
    for (const [sql, hint] of [
      ["UPDATE both SET b = 2", "Point to a row that exists (in b)."],
      ["UPDATE a SET id = 2", "A key that others point to (in both) cannot be changed before they are."],
      ["UPDATE both SET a = 2, b = 2", "Point to a row that exists (in b, A)."],
      ["INSERT INTO both VALUES (1, 2)", "Insert the row that is pointed to (in b) first."],
      [
        "REPLACE INTO a (name) VALUES ('x')",
        "Others point to the row that it would replace (in both): change that row, with INSERT … ON CONFLICT DO UPDATE.",
      ],
    ] as const) {
      expect((await faultOf(database.write({ sql }))).hint, sql).toBe(hint);
    }
  });
});
