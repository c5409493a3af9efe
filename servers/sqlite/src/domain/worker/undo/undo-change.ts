import { Fault } from "@suite/server-kit/domain";
import type { ChangeList, KeptChange, ListChangesArgs, Undone, UndoRequest } from "../../protocol/undo.ts";
import { quoteName } from "../../sql-policy/tokens.ts";
import { cite } from "../../values/cite.ts";
import type { ConnectionPool } from "../connection-pool.ts";
import type { DatabaseConnection } from "../connection.ts";
import { isSqliteError } from "../sqlite-error.ts";
import type { TaskContext } from "../task.ts";
import { countViolations, transact } from "../transaction.ts";
import { undoOf } from "./pool-undo.ts";
import type { RecordedChange, RowChanges } from "./recorder.ts";
import {
  childrenOf,
  digestRows,
  isSameObject,
  objectsOf,
  type SchemaChange,
  type SchemaObject,
  type TableImage,
} from "./schema-recorder.ts";
import { finderOf, isSame, type RowImage, rowsOf, shapeOf, type TableShape } from "./table-shape.ts";
import type { StoredChange } from "./undo-list.ts";
import { type RestoredRow, showUndone } from "./undo-sample.ts";

export function listChangesTask({ only, limit }: ListChangesArgs, { pool }: TaskContext): ChangeList {
  if (!undoOf(pool).hasList) return { changes: [], truncated: false };
  // What a killed process left pending is decided inside a transaction.
  if (undoOf(pool).list().pending().length > 0) transact(pool, { dryRun: true }, () => ({}));
  const found = undoOf(pool)
    .list()
    .list(only, limit + 1);
  return { changes: found.slice(0, limit).map(toListed), truncated: found.length > limit };
}

const toListed = ({ isPending: _, isRedo: __, undoes: ___, ...change }: StoredChange): KeptChange => change;

/** Puts everything back as it was before a change, or nothing. */
export function undoTask(request: UndoRequest, { pool }: TaskContext): Undone {
  const { dryRun, author, force } = request;
  let found: StoredChange | undefined;
  const undoing = (): object => {
    if (!found) return {};
    const { id, tool, summary, undoes, isRedo } = found;
    return { undoes: id, isRedo: undoes !== undefined && !isRedo, summary: `undid: ${tool} ${summary}` };
  };
  return transact(pool, { dryRun, author, undoing }, (connection) => {
    const change = (found = requireChange(pool, request));
    const recorded = imageOf(pool, change);
    const work = new Undoing(pool, connection, force);
    const names = namesIn(recorded);
    const broken = countBroken(connection, names);
    if (recorded.schema) work.restoreSchema(recorded.schema);
    const restored = work.restoreRows(recorded);
    if (countBroken(connection, names) > broken) throw refuseBroken();
    return { undone: toListed(change), results: dryRun ? showUndone(restored) : [] };
  });
}

const namesIn = ({ tables, schema }: RecordedChange): readonly string[] => [
  ...tables.map(({ name }) => name),
  ...[...(schema?.before ?? []), ...(schema?.after ?? [])].flatMap(({ type, name }) =>
    type === "table" ? [name] : [],
  ),
];

function requireChange(pool: ConnectionPool, { id, only }: UndoRequest): StoredChange {
  const found = undoOf(pool).list().find(id, only);
  if (!found) throw toNotFound(pool, id, only);
  if (found.reason === undefined) return found;
  const which = id === "last" ? "The last change" : `The change ${found.id}`;
  throw new Fault("unsupported", `${which}, ${found.tool}, cannot be undone: ${found.reason}.`, {
    hint: "Nothing was changed. To undo an older change, give its id: undo without id lists them.",
    details: { id: found.id },
  });
}

function toNotFound(pool: ConnectionPool, id: string, only: string | undefined): Fault {
  const hint = "Call undo without id to list them.";
  if (id !== "last")
    return new Fault("not_found", `There is no change ${JSON.stringify(id.slice(0, 50))}.`, { hint });
  const [newest] = undoOf(pool).list().list(only, 1);
  if (!newest) return new Fault("not_found", "There is no change to undo.", { hint });
  return new Fault("not_found", "There is no change to undo: all that are left were undone.", {
    hint: `To redo one, give its id: that of the newest is ${newest.id}. Call undo without id to list them.`,
  });
}

function imageOf(pool: ConnectionPool, { id }: StoredChange): RecordedChange {
  try {
    return undoOf(pool).list().imageOf(id);
  } catch (thrown) {
    throw new Fault(
      "unsupported",
      `The change ${id} cannot be undone: another version of the server kept it.`,
      {
        hint: "Nothing was changed.",
        cause: thrown,
      },
    );
  }
}

const MOST_NAMED = 5;

/** One table, for changes of single rows. */
interface Access {
  readonly shape: TableShape;
  readonly find: (image: RowImage) => RowImage | undefined;
  readonly remove: OwnStatement;
  readonly insert: OwnStatement;
}
type OwnStatement = ReturnType<DatabaseConnection["own"]>;

class Undoing {
  readonly #pool: ConnectionPool;
  readonly #connection: DatabaseConnection;
  readonly #force: boolean;

  constructor(pool: ConnectionPool, connection: DatabaseConnection, force: boolean) {
    this.#pool = pool;
    this.#connection = connection;
    this.#force = force;
  }

  restoreRows({ tables, rows }: RowChanges): readonly RestoredRow[] {
    for (const shape of tables) this.#requireShape(shape);
    const access = tables.map((shape) => this.#access(shape));
    const steps = rows.flatMap(({ table, before, after }) => {
      const place = access[table];
      const image = before ?? after ?? [];
      const found = place?.find(image);
      // Of what is the same, one is enough: both are kept until the end.
      return place ? [{ place, before, after, image, now: isSame(found, after) ? after : found }] : [];
    });
    const changed = steps.filter(({ after, now }) => after !== now);
    if (changed.length > 0 && !this.#force) {
      throw refuseConflicts(changed.map(({ place, image }) => describeRow(place.shape, image)));
    }
    this.#withoutTriggers(tables, () => {
      const { recorder } = undoOf(this.#pool);
      recorder?.beginOwn();
      // All that is there goes first: rows may have exchanged values that are unique.
      for (const { place, image, now } of steps) {
        recorder?.touch(place.shape, now ?? image, now !== undefined);
        if (now) place.remove.run(...now.slice(0, place.shape.keys));
      }
      for (const { place, before } of steps) if (before) this.#insert(place, before);
    });
    return steps.map(({ place, before, now }) => ({ shape: place.shape, now, restored: before }));
  }

  restoreSchema({ before, after, images, digests }: SchemaChange): void {
    if (!this.#pool.options.allowDdl) {
      throw new Fault("permission_denied", "To undo this changes the schema, which is not allowed here.", {
        hint: "The operator allows it with --allow-ddl.",
      });
    }
    const now = objectsOf(this.#connection);
    requireSchema(now, before, after);
    const changed = digests.filter(([name, digest]) => this.#digestOf(name) !== digest).map(([name]) => name);
    if (changed.length > 0 && !this.#force) throw refuseConflicts(changed);
    for (const { type, name } of inOrder(after).toReversed())
      this.#run(`DROP ${type} main.${quoteName(name)}`);
    for (const object of inOrder(before)) {
      this.#run(object.sql);
      const image =
        object.type === "table" ? images.find(({ shape }) => shape.name === object.name) : undefined;
      if (image) this.#fill(image);
    }
  }

  #fill({ shape, rows, sequence }: TableImage): void {
    const place = this.#access(shape);
    for (const row of rows) this.#insert(place, row);
    if (sequence === undefined) return;
    // The insert may not have made an entry, if the table has no rows.
    this.#connection.own("DELETE FROM sqlite_sequence WHERE name = ?").run(shape.name);
    this.#connection.own("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(shape.name, sequence);
  }

  /** By the same way as any statement that changes the schema: so it is recorded, and can be undone. */
  #run(sql: string): void {
    const admitted = this.#pool.admit(sql, "write");
    this.#connection.prepare(admitted, [[], {}]).statement.run();
  }

  #digestOf(name: string): string | undefined {
    const shape = shapeOf(this.#connection, name);
    return shape && digestRows(rowsOf(this.#connection, shape));
  }

  #requireShape(shape: TableShape): void {
    const now = shapeOf(this.#connection, shape.name);
    if (now && now.keys === shape.keys && now.columns.join("\0") === shape.columns.join("\0")) return;
    throw new Fault("conflict", `The table ${cite(shape.name)} was altered or dropped since then.`, {
      hint: "Nothing was changed. Undo that first, if it is in the list.",
    });
  }

  #access(shape: TableShape): Access {
    const { columns, keys } = shape;
    const table = `main.${quoteName(shape.name)}`;
    const names = columns.map(quoteName);
    const where = names.slice(0, keys).map((name) => `${name} IS ?`);
    const values = names.map(() => "?").join();
    return {
      shape,
      find: finderOf(this.#connection, shape),
      remove: this.#connection.own(`DELETE FROM ${table} WHERE ${where.join(" AND ")}`),
      // OR ABORT: a constraint may say that other rows make room.
      insert: this.#connection.own(`INSERT OR ABORT INTO ${table} (${names.join()}) VALUES (${values})`),
    };
  }

  #insert({ shape, insert }: Access, image: RowImage): void {
    try {
      insert.run(...image);
    } catch (thrown) {
      if (!isSqliteError(thrown) || !thrown.code.startsWith("SQLITE_CONSTRAINT")) throw thrown;
      throw refuseConflicts([`${describeRow(shape, image)} (${thrown.message})`]);
    }
  }

  /** What triggers did was recorded too, and is put back with the rest: they must not do it again. */
  #withoutTriggers(tables: readonly TableShape[], work: () => void): void {
    const names = new Set(tables.map(({ name }) => name.toLowerCase()));
    const triggers = objectsOf(this.#connection).filter(
      ({ type, table }) => type === "trigger" && names.has(table.toLowerCase()),
    );
    for (const { name } of triggers) this.#connection.own(`DROP TRIGGER main.${quoteName(name)}`).run();
    work();
    for (const { sql } of triggers) this.#connection.own(sql).run();
    if (triggers.length > 0) this.#connection.forgetSchema();
  }
}

/** Tables first, then what stands on them. */
const ORDER = ["table", "index", "view", "trigger"];
const inOrder = (objects: readonly SchemaObject[]): readonly SchemaObject[] =>
  objects.toSorted((one, other) => ORDER.indexOf(one.type) - ORDER.indexOf(other.type));

/** What the change made must be there as it made it, and nothing else on its tables. */
function requireSchema(
  now: readonly SchemaObject[],
  before: readonly SchemaObject[],
  after: readonly SchemaObject[],
): void {
  const made = new Set(after.flatMap(({ type, name }) => (type === "table" ? [name] : [])));
  const isThere = (object: SchemaObject): boolean => now.some((other) => isSameObject(object, other));
  const names = new Set([...before, ...after].map(({ name }) => name));
  const lost = after.filter((object) => !isThere(object));
  const added = now.filter(
    (object) =>
      (made.has(object.table) || names.has(object.name)) &&
      !after.some((other) => isSameObject(object, other)),
  );
  const [first] = [...lost, ...added];
  if (!first) return;
  throw new Fault("conflict", `The ${first.type} ${cite(first.name)} has changed since then.`, {
    hint: "Nothing was changed. Undo later changes of the schema first, if they are in the list.",
  });
}

const describeRow = ({ name, columns, keys }: TableShape, image: RowImage): string => {
  const key = columns.slice(0, keys).map((column, at) => `${column} ${String(image[at]).slice(0, 50)}`);
  return `${name} ${key.join(", ")}`;
};

function refuseConflicts(conflicts: readonly string[]): Fault {
  const named = conflicts.slice(0, MOST_NAMED);
  const more = conflicts.length > named.length ? ` and ${conflicts.length - named.length} more` : "";
  return new Fault("conflict", `Changed since then: ${named.join("; ")}${more}.`, {
    hint: "Nothing was changed. Look at them first. force restores the old state anyway, and can itself be undone.",
    details: { conflicts: named },
  });
}

const refuseBroken = (): Fault =>
  new Fault("conflict", "A foreign key would point to a row that does not exist.", {
    hint: "Nothing was changed. Rows that point to it were added, or what it points to has gone, since then.",
  });

/** Rows of these tables, and of those that point to them, that point to nothing. */
function countBroken(connection: DatabaseConnection, tables: readonly string[]): number {
  const all = new Set(tables.flatMap((name) => [name, ...childrenOf(connection, name)]));
  return [...all].reduce((sum, name) => sum + countViolations(connection, name), 0);
}
