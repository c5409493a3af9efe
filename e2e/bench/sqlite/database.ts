import { join } from "node:path";
import Database from "better-sqlite3";

export const manyRows = 1_000_000;
export const pageRows = 1_000;
export const batchInserts = 10_000;

/** Made once per run, the same every time. */
export function makeDatabase(folder: string, rows: number): string {
  const file = join(folder, "bench.db");
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.exec(
    "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category INTEGER NOT NULL, price REAL)",
  );
  database.exec("CREATE TABLE log (id INTEGER PRIMARY KEY, message TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO items VALUES (?, ?, ?, ?)");
  const fill = database.transaction(() => {
    for (let id = 1; id <= rows; id += 1) insert.run(id, `item number ${id}`, id % 97, id * 0.25);
  });
  fill();
  database.close();
  return file;
}
