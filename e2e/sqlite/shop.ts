import { join } from "node:path";

import { createDatabase } from "./direct.ts";

/** Something of everything that a database may have, and little of it. */
const SHOP = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, city TEXT);
  INSERT INTO users VALUES (1, 'Ada', 'London'), (2, 'Bo', NULL), (3, 'Cy', '');
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INT NOT NULL REFERENCES users ON DELETE CASCADE,
    total REAL CHECK (total >= 0), twice AS (total * 2), note TEXT DEFAULT 'none'
  );
  INSERT INTO orders (user_id, total) VALUES (1, 10), (1, 2.5), (2, 7);
  CREATE INDEX orders_total ON orders (total);
  CREATE TABLE log (text);
  CREATE TRIGGER logged AFTER DELETE ON orders BEGIN INSERT INTO log VALUES ('gone: ' || old.id); END;
  CREATE VIEW totals AS SELECT name, sum(total) AS total FROM users JOIN orders ON user_id = users.id GROUP BY users.id;
  CREATE VIRTUAL TABLE notes USING fts5(title, body);
  INSERT INTO notes VALUES ('first', 'a quick note'), ('second', 'a slow one');
  CREATE TABLE settings (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
  INSERT INTO settings VALUES ('limit', 9223372036854775807), ('logo', x'00ff'), ('rate', 0.5);
`;

export const createShop = (folder: string, name = "shop.db"): string =>
  createDatabase(join(folder, name), SHOP);
