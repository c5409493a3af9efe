import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import Database from "better-sqlite3";
import { truncate, toVisibleLine } from "@suite/server-kit/domain";
import type { Author } from "../../protocol/statements.ts";
import type { KeptChange } from "../../protocol/undo.ts";
import type { RecordedChange } from "./recorder.ts";

/** A change as it is kept: `pending` while its transaction is being committed. */
export interface StoredChange extends KeptChange {
  readonly isPending: boolean;
  readonly undoes?: string;
  readonly isRedo: boolean;
}

export interface NewChange extends Author {
  readonly undoes?: string;
  readonly isRedo?: boolean;
}

const SCHEMA = `
  CREATE TABLE change (
    id TEXT PRIMARY KEY, pending INTEGER NOT NULL, tool TEXT NOT NULL, summary TEXT NOT NULL, principal TEXT,
    undoes TEXT, redo INTEGER NOT NULL, reason TEXT, tables TEXT NOT NULL, rows INTEGER NOT NULL, image BLOB NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX pending ON change (id) WHERE pending;`;
const COLUMNS = "id, pending, tool, summary, principal, undoes, redo, reason, tables, rows";

const LONGEST_SUMMARY = 200;
const MOST_CHANGES = 1000;
const MOST_BYTES = 256 * 1024 * 1024;
/** Between two looks at what is too old or too much. */
const CHANGES_A_LOOK = 50;
const BYTES_A_LOOK = 8 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;
const SIDE_FILES = ["", "-wal", "-shm", "-journal"];

export const undoFileOf = (file: string): string => `${file}.suite-undo`;

export interface UndoListOptions {
  /** The database, or `:memory:`. */
  readonly file: string;
  /** Which file that is. A list that came with another one, or was copied, is not trusted. */
  readonly identity: string;
  readonly days: number;
}

/** The changes of one database that can be taken back, in a file beside it. The database itself knows nothing of them. */
export class UndoList {
  readonly #database: Database.Database;
  readonly #days: number;
  readonly #statements = new Map<string, Database.Statement>();
  /** Since the last look at the limits. */
  #added = { changes: CHANGES_A_LOOK, bytes: 0 };

  constructor(options: UndoListOptions) {
    this.#days = options.days;
    this.#database = options.file === ":memory:" ? create(":memory:", [0, 0]) : openBeside(options);
  }

  add(change: RecordedChange, given: NewChange): string {
    const id = this.#nextId();
    const { reason, schema, tables, rows } = change;
    const image = reason === undefined ? serialize(change) : Buffer.alloc(0);
    const named = [...tables, ...(schema ? [...schema.before, ...schema.after] : [])].map(({ name }) => name);
    this.#prepare(`INSERT INTO change (${COLUMNS}, image) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      id,
      given.tool,
      truncate(toVisibleLine(given.summary), LONGEST_SUMMARY),
      given.principal ?? null,
      given.undoes ?? null,
      given.isRedo === true ? 1 : 0,
      reason ?? null,
      JSON.stringify([...new Set(named)]),
      rows.length,
      image,
    );
    this.#added.changes += 1;
    this.#added.bytes += image.length;
    return id;
  }

  /** They sort by time, also those of the same millisecond. */
  #nextId(): string {
    const newest = this.#prepare("SELECT max(id) AS id FROM change").get() as { readonly id: string | null };
    const time = Math.max(Date.now(), newest.id === null ? 0 : timeOf(newest.id) + 1);
    return `${time.toString(36).padStart(9, "0")}-${randomBytes(3).toString("hex")}`;
  }

  /** Its transaction was committed. A change that it took back is none any more. */
  confirm(id: string): void {
    this.#prepare("UPDATE change SET pending = 0 WHERE id = ?").run(id);
    this.#prepare("DELETE FROM change WHERE id = (SELECT undoes FROM change WHERE id = ?)").run(id);
    if (this.#added.changes >= CHANGES_A_LOOK || this.#added.bytes >= BYTES_A_LOOK) this.#prune();
  }

  remove(id: string): void {
    this.#prepare("DELETE FROM change WHERE id = ?").run(id);
  }

  refuse(id: string, reason: string): void {
    this.#prepare("UPDATE change SET reason = ? WHERE id = ?").run(reason, id);
  }

  pending(): readonly StoredChange[] {
    return this.#select("WHERE pending ORDER BY id");
  }

  /** The newest first: of this caller, or of all. */
  list(principal: string | undefined, limit: number): readonly StoredChange[] {
    return this.#select(`WHERE ${VISIBLE} ORDER BY id DESC LIMIT @limit`, { only: principal ?? null, limit });
  }

  /** "last": the newest that is no undo, so that repeated calls go further back; also one that cannot be undone. */
  find(id: string, principal: string | undefined): StoredChange | undefined {
    const isWanted = "iif(@id = 'last', undoes IS NULL OR redo, id = @id)";
    const only = principal ?? null;
    return this.#select(`WHERE ${VISIBLE} AND ${isWanted} ORDER BY id DESC LIMIT 1`, { only, id })[0];
  }

  /** Throws if it was kept by a version of Node.js that this one does not understand. */
  imageOf(id: string): RecordedChange {
    const image = this.#database.prepare("SELECT image FROM change WHERE id = ?").pluck().get(id);
    return deserialize(image as Buffer) as RecordedChange;
  }

  close(): void {
    this.#database.close();
  }

  #select(where: string, params: { readonly [name: string]: string | number | null } = {}): StoredChange[] {
    const rows = this.#prepare(`SELECT ${COLUMNS} FROM change ${where}`).all(params);
    return (rows as StoredRow[]).map(toStored);
  }

  #prepare(sql: string): Database.Statement {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #prune(): void {
    this.#added = { changes: 0, bytes: 0 };
    const oldest = (Date.now() - this.#days * DAY_MS).toString(36).padStart(9, "0");
    // The newest always stays.
    this.#database
      .prepare(
        `DELETE FROM change WHERE id < (SELECT max(id) FROM change) AND NOT pending AND id IN (
           SELECT id FROM (SELECT id, row_number() OVER newest AS place, sum(length(image)) OVER newest AS bytes
             FROM change WINDOW newest AS (ORDER BY id DESC))
           WHERE place > ? OR bytes > ? OR id < ?)`,
      )
      .run(MOST_CHANGES, MOST_BYTES, oldest);
  }
}

const VISIBLE = "(@only IS NULL OR principal IS @only)";

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 9), 36);

interface StoredRow {
  readonly id: string;
  readonly pending: number;
  readonly tool: string;
  readonly summary: string;
  readonly principal: string | null;
  readonly undoes: string | null;
  readonly redo: number;
  readonly reason: string | null;
  readonly tables: string;
  readonly rows: number;
}

const toStored = ({ pending, undoes, redo, reason, tables, ...row }: StoredRow): StoredChange => ({
  id: row.id,
  time: new Date(timeOf(row.id)).toISOString(),
  tool: row.tool,
  summary: row.summary,
  tables: JSON.parse(tables) as string[],
  rows: row.rows,
  isPending: pending === 1,
  isRedo: redo === 1,
  ...(undoes !== null && { undoes }),
  ...(reason !== null && { reason }),
});

function openBeside({ file, identity }: UndoListOptions): Database.Database {
  const path = undoFileOf(file);
  // The list never has a journal. One that came from elsewhere may name a file, which SQLite would delete.
  rmSync(`${path}-journal`, { force: true });
  try {
    return openOwn(path, file, identity);
  } catch (thrown) {
    if (!(thrown instanceof StrangerError) && !isDamaged(thrown)) throw thrown;
    for (const suffix of SIDE_FILES) rmSync(`${path}${suffix}`, { force: true });
    return openOwn(path, file, identity);
  }
}

class StrangerError extends Error {}

const isDamaged = (thrown: unknown): boolean =>
  /^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(String((thrown as { code?: unknown }).code));

/** Whether it is ours is known before SQLite opens it: a stranger's schema may keep a query running. */
function openOwn(path: string, file: string, identity: string): Database.Database {
  // Who may read the database may read what it had.
  const { mode, birthtimeNs } = statSync(file, { bigint: true });
  const rights = Number(mode & 0o777n);
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const opened = openSync(path, flags, rights);
  try {
    const { ino, dev, nlink, size } = fstatSync(opened, { bigint: true });
    if (nlink > 1n) throw new StrangerError();
    // It may have been there before, or the database's rights were changed since.
    restrict(opened, rights);
    // A file that is made after another was removed may get its number, but was not made at the same time.
    const stamp = stampOf(`${identity} ${birthtimeNs} ${dev}:${ino}`);
    if (size === 0n) return create(path, stamp);
    if (!hasStamp(opened, stamp)) throw new StrangerError();
  } finally {
    closeSync(opened);
  }
  const database = new Database(path, { fileMustExist: true });
  try {
    setUp(database);
    database.prepare("SELECT max(id) FROM change").get();
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function restrict(opened: number, rights: number): void {
  try {
    fchmodSync(opened, rights);
  } catch (thrown) {
    // Only its owner may: it is somebody else's.
    throw new StrangerError(undefined, { cause: thrown });
  }
}

/** Whose list it is, in those numbers of SQLite's header that are free for programs. */
type Stamp = readonly [userVersion: number, applicationId: number];
const [USER_VERSION_AT, APPLICATION_ID_AT] = [60, 68];

function stampOf(identity: string): Stamp {
  const hash = createHash("sha256").update(identity).digest();
  return [hash.readInt32BE(0), hash.readInt32BE(4)];
}

function hasStamp(opened: number, [userVersion, applicationId]: Stamp): boolean {
  const header = Buffer.alloc(100);
  readSync(opened, header, 0, header.length, 0);
  return (
    header.readInt32BE(USER_VERSION_AT) === userVersion &&
    header.readInt32BE(APPLICATION_ID_AT) === applicationId
  );
}

function create(path: string, [userVersion, applicationId]: Stamp): Database.Database {
  const database = new Database(path);
  // What a killed process leaves of it is damaged, or empty, and begun anew.
  database.pragma("journal_mode = memory");
  database
    .transaction(() => {
      // Another process may have been faster.
      if (database.prepare("SELECT 1 FROM sqlite_schema").get()) return;
      database.exec(SCHEMA);
      database.pragma(`user_version = ${userVersion}`);
      database.pragma(`application_id = ${applicationId}`);
    })
    .immediate();
  setUp(database);
  return database;
}

/** A killed process loses nothing; what a power failure loses are the last changes of the list, not of the database. */
function setUp(database: Database.Database): void {
  for (const setting of [
    "journal_mode = wal",
    "synchronous = normal",
    "trusted_schema = off",
    "cell_size_check = on",
  ])
    database.pragma(setting);
}
