import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import Database from "better-sqlite3";

import { createPlace } from "../support/place.ts";

const SCHEMA = `
  CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE log (line TEXT);
  INSERT INTO people (name) VALUES ('Ada'), ('Grace');
`;

/** A folder with a database, an exchange directory, and beside them what no server was told of. */
export class SqlitePlace {
  readonly base: string = createPlace();
  readonly file: string = join(this.base, "app.db");
  readonly exchange: string = join(this.base, "exchange");
  readonly outside: string = join(this.base, "outside");
  /** In everything outside. */
  readonly marker: string = `marker${randomBytes(12).toString("hex")}`;

  constructor(schema: string = SCHEMA) {
    mkdirSync(this.exchange);
    mkdirSync(this.outside);
    fill(this.file, schema);
    fill(join(this.outside, "secret.db"), `CREATE TABLE secret AS SELECT '${this.marker}' AS word`);
    writeFileSync(join(this.outside, "secret.txt"), `${this.marker}\n`);
  }

  /** Every file by its path, with a digest of its bytes. The index of a log is memory that happens to have a name. */
  observe(): { readonly [path: string]: string } {
    const files = readdirSync(this.base, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith("-shm"))
      .map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      files.map((path) => [path, createHash("sha256").update(readFileSync(path)).digest("hex")]),
    );
  }
}

function fill(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}
