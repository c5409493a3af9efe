import type { Fields } from "@suite/check/wires";

/** What takes something back in one way or another: by rows, by tables, by both. */
export const STORE = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, city TEXT);
  INSERT INTO users VALUES (1, 'Ada', 'London'), (2, 'Bo', NULL), (3, 'Cy', ''), (-1, 'minus', 'x');
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INT NOT NULL REFERENCES users ON DELETE CASCADE ON UPDATE CASCADE,
    total REAL CHECK (total >= 0), twice AS (total * 2), kept AS (total + 1) STORED, note TEXT DEFAULT 'none'
  );
  INSERT INTO orders (user_id, total) VALUES (1, 10), (1, 2.5), (2, 7);
  DELETE FROM orders WHERE id = 3;
  INSERT INTO orders (user_id, total) VALUES (2, 7);
  CREATE INDEX orders_total ON orders (total);
  CREATE TABLE log (text);
  CREATE TRIGGER logged AFTER DELETE ON orders BEGIN INSERT INTO log VALUES ('gone: ' || old.id); END;
  CREATE TRIGGER suite_undo_1_after_update AFTER UPDATE ON users BEGIN INSERT INTO log VALUES ('user ' || new.id); END;
  CREATE VIEW names AS SELECT name FROM users;
  CREATE TRIGGER named INSTEAD OF INSERT ON names BEGIN INSERT INTO users (name) VALUES (new.name); END;
  CREATE TABLE settings (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
  INSERT INTO settings VALUES ('limit', 9223372036854775807), ('logo', x'00ff'), ('rate', 0.5), ('inf', 1e999);
  CREATE TABLE pairs (a NOCASE, b, c, PRIMARY KEY (b, a)) WITHOUT ROWID;
  INSERT INTO pairs VALUES ('x', 1, 'one'), ('X', 2, NULL);
  CREATE TABLE plain ("rowid" TEXT, "a b" TEXT, n UNIQUE ON CONFLICT REPLACE);
  INSERT INTO plain VALUES ('r', 'first', 1), ('r', 'first', 2), ('s', 'third', 3);
  CREATE TABLE swap (id INTEGER PRIMARY KEY, place INT UNIQUE);
  INSERT INTO swap VALUES (1, 1), (2, 2), (3, 3);
  CREATE TABLE part (id INTEGER PRIMARY KEY, k TEXT, on_ INT);
  CREATE UNIQUE INDEX part_on ON part (k) WHERE part.on_;
  CREATE UNIQUE INDEX part_lower ON part (lower(k), on_);
  INSERT INTO part VALUES (1, 'k', 1), (2, 'k', 0);
  CREATE TABLE early (id INTEGER PRIMARY KEY, place INT UNIQUE);
  INSERT INTO early VALUES (1, 1);
  CREATE TRIGGER earlier BEFORE INSERT ON early WHEN new.id < 100 BEGIN
    INSERT INTO early VALUES (new.id + 100, new.place), (new.id + 200, new.place + 1000);
  END;
  CREATE VIRTUAL TABLE notes USING fts5(title);
`;

type Step = readonly [tool: string, args: Fields];

const sql = (query: string, params?: readonly unknown[]): Step => [
  "write_query",
  { query, ...(params && { params }) },
];
const shape = (query: string): Step => [
  query.startsWith("CREATE") ? "create_table" : "alter_or_drop",
  { query },
];

/** Each of them can be undone, and leaves everything as it was then. */
export const UNDOABLE: readonly Step[] = [
  sql("UPDATE users SET city = 'Rome'"),
  sql("DELETE FROM users WHERE id = 1"),
  sql("DELETE FROM orders"),
  sql("UPDATE users SET id = id + 100"),
  [
    "execute_batch",
    {
      statements: [
        "UPDATE swap SET place = 9 WHERE id = 1",
        "UPDATE swap SET place = 1 WHERE id = 3",
        "UPDATE swap SET place = 3 WHERE id = 1",
      ],
    },
  ],
  sql("INSERT INTO names VALUES ('by view')"),
  sql("INSERT INTO users (name, city) VALUES ('Di', ?) RETURNING id", ["\u{1F600}\0x"]),
  sql("INSERT OR REPLACE INTO users VALUES (9, 'bo', 'replaces 2')"),
  sql("REPLACE INTO users (name) VALUES ('CY')"),
  sql("UPDATE OR REPLACE users SET name = 'Ada' WHERE id = 3"),
  sql("INSERT INTO users VALUES (1, 'Ada', 'again') ON CONFLICT DO UPDATE SET city = excluded.city"),
  sql("INSERT OR IGNORE INTO users VALUES (1, 'x', 'x'), (7, 'y', 'y')"),
  sql("INSERT INTO plain VALUES ('t', 'second', 2)"),
  sql("DELETE FROM plain WHERE n = 1"),
  sql("UPDATE plain SET n = 3 WHERE n = 2"),
  sql("INSERT OR REPLACE INTO part VALUES (5, 'k', 1)"),
  sql("INSERT OR REPLACE INTO part VALUES (6, 'K', 0)"),
  // The row that makes room is one that the trigger has just made.
  sql("INSERT OR REPLACE INTO early VALUES (5, 5)"),
  sql("INSERT INTO settings VALUES ('z', ?)", [{ $blob: "AAEC" }]),
  sql(
    "UPDATE settings SET key = key || 'x', value = CASE WHEN typeof(value) = 'integer' THEN value - 1 ELSE value END",
  ),
  sql("DELETE FROM settings"),
  sql("UPDATE pairs SET a = upper(a)"),
  sql("INSERT OR REPLACE INTO pairs VALUES ('X', 1, 'two')"),
  ["import_data", { path: "users.csv", table: "users" }],
  ["import_data", { path: "users.csv", table: "plain", columns: ["rowid", "a b", "n"], header: true }],
  ["import_data", { path: "bad.csv", table: "users", skip_bad_rows: true }],
  ["import_data", { path: "users.csv", table: "made", create: true }],
  [
    "execute_batch",
    {
      statements: [
        "INSERT INTO users VALUES (50, 'E', 'x')",
        "UPDATE users SET city = 'y' WHERE id = 50",
        "DELETE FROM users WHERE id = 2",
      ],
    },
  ],
  [
    "execute_batch",
    {
      statements: [
        "CREATE TABLE b (x)",
        "INSERT INTO b VALUES (1)",
        "UPDATE users SET city = 'B' WHERE id = 3",
        "INSERT INTO log VALUES ('by hand')",
        "ALTER TABLE users ADD COLUMN age INT DEFAULT 1",
        "UPDATE users SET age = 5",
        "CREATE INDEX b_x ON b (x)",
        "UPDATE log SET text = text || '!'",
      ],
    },
  ],
  // The schema is the same before and after: only the rows are lost.
  [
    "execute_batch",
    { statements: ["DROP TABLE swap", "CREATE TABLE swap (id INTEGER PRIMARY KEY, place INT UNIQUE)"] },
  ],
  [
    "execute_batch",
    {
      statements: [
        "ALTER TABLE swap ADD COLUMN x",
        "UPDATE swap SET place = place + 10",
        "ALTER TABLE swap DROP COLUMN x",
      ],
    },
  ],
  [
    "execute_batch",
    {
      statements: [
        "DROP TABLE swap",
        "CREATE TABLE swap (id INTEGER PRIMARY KEY, place INT UNIQUE)",
        "INSERT INTO swap VALUES (9, 9)",
        "CREATE TABLE z (a)",
      ],
    },
  ],
  shape("CREATE TABLE fresh (a)"),
  shape("CREATE TABLE copied AS SELECT * FROM orders"),
  shape("CREATE UNIQUE INDEX by_city ON users (city, id)"),
  shape("CREATE TRIGGER t AFTER INSERT ON users BEGIN UPDATE users SET city = 't' WHERE id = new.id; END"),
  shape("DROP TABLE orders"),
  shape("DROP TABLE plain"),
  shape("DROP INDEX orders_total"),
  shape("DROP VIEW names"),
  shape("DROP TRIGGER suite_undo_1_after_update"),
  shape("ALTER TABLE users RENAME TO people"),
  shape("ALTER TABLE users RENAME COLUMN city TO town"),
  shape("ALTER TABLE settings DROP COLUMN value"),
];
