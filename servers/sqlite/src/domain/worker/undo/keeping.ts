import { Fault } from "@suite/server-kit/domain";
import type { Kept } from "../../protocol/statements.ts";
import type { DatabaseConnection } from "../connection.ts";
import type { RecordedChange } from "./recorder.ts";
import { isSameObject, objectsOf, type SchemaObject } from "./schema-recorder.ts";
import { finderOf, isSame } from "./table-shape.ts";
import type { NewChange, UndoList } from "./undo-list.ts";

/** What a transaction changed, on its way into the list. */
export interface Keeping {
  /** Call when it was committed. */
  readonly confirm: () => Kept;
  /** Call when it was not. */
  readonly drop: () => void;
}

/**
 * Before the commit: the change is written to the list as pending, with the rows before and after. If the process is killed from
 * here on, the rows themselves tell the next one whether the commit happened. The write lock is held meanwhile.
 */
export function keepChange(open: () => UndoList, change: RecordedChange, given: NewChange): Keeping {
  try {
    const list = open();
    const id = list.add(change, given);
    const { reason } = change;
    return {
      confirm: () => {
        attempt(() => list.confirm(id));
        return reason === undefined ? { undo: id } : { cannotUndo: reason };
      },
      drop: () => attempt(() => list.remove(id)),
    };
  } catch (thrown) {
    // The change is what was asked for. That it is not kept is said.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      confirm: () => ({ cannotUndo: `the list of changes cannot be written (${why})` }),
      drop: () => {},
    };
  }
}

export const foretell = (change: RecordedChange | undefined): Kept =>
  change?.reason === undefined ? {} : { cannotUndo: change.reason };

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It stays pending, and is decided before the next change.
  }
}

const UNKNOWN = "the server ended while it was made, and its rows have changed since";

/** Decides what a process that was killed left pending. Call inside a transaction that writes: nobody is committing then. */
export function settle(list: UndoList, connection: DatabaseConnection): void {
  for (const { id, reason } of list.pending()) {
    const happened = reason === undefined ? didHappen(connection, list.imageOf(id)) : undefined;
    if (happened === false) {
      list.remove(id);
      continue;
    }
    if (happened === undefined) list.refuse(id, reason ?? UNKNOWN);
    list.confirm(id);
  }
}

/** The first row or object that is as before or as after decides: all were committed together. */
function didHappen(
  connection: DatabaseConnection,
  { tables, rows, schema }: RecordedChange,
): boolean | undefined {
  if (schema) {
    const now = objectsOf(connection);
    const { before, after } = schema;
    const isIn = (objects: readonly SchemaObject[], object: SchemaObject): boolean =>
      objects.some((other) => isSameObject(other, object));
    const isUndone = before.some((object) => isIn(now, object) && !isIn(after, object));
    return !isUndone && after.every((object) => isIn(now, object));
  }
  for (const { table, before, after } of rows) {
    const shape = tables[table];
    const image = before ?? after;
    if (!shape || !image) continue;
    try {
      const now = finderOf(connection, shape)(image);
      if (isSame(now, after)) return true;
      if (isSame(now, before)) return false;
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      // Another program has changed the table since.
    }
  }
  return undefined;
}
