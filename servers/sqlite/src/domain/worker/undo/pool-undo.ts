import { existsSync } from "node:fs";
import { Fault } from "@suite/server-kit/domain";
import type { ConnectionPool } from "../connection-pool.ts";
import { type DatabaseConnection, identityOf } from "../connection.ts";
import { ChangeRecorder } from "./recorder.ts";
import { settle } from "./keeping.ts";
import { undoFileOf, UndoList } from "./undo-list.ts";

/** What is kept of one change, in memory until its commit: no more than a small share of what the process may take. */
const MOST_ROWS = 100_000;
const MOST_BYTES = 16 * 1024 * 1024;
const SHARE_OF_MEMORY = 16;

/** What undo needs for one database, for as long as the connection that writes is open. */
export class PoolUndo {
  readonly #pool: ConnectionPool;
  /** Of the last transaction. */
  recorder: ChangeRecorder | undefined;
  #list: UndoList | undefined;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  /** The transaction that has begun. Nothing with `--no-undo`. */
  record(connection: DatabaseConnection): ChangeRecorder | undefined {
    const { undo, memoryBytes } = this.#pool.options;
    if (!undo) return undefined;
    const bytes = Math.min(MOST_BYTES, Math.floor(memoryBytes / SHARE_OF_MEMORY));
    return (this.recorder = new ChangeRecorder(connection, { rows: MOST_ROWS, bytes }));
  }

  get hasList(): boolean {
    const { file, undo } = this.#pool.options;
    return (
      this.#list !== undefined || (undo !== undefined && !this.#pool.isMemory && existsSync(undoFileOf(file)))
    );
  }

  /** Opened with the first change. */
  list(): UndoList {
    const { file, undo } = this.#pool.options;
    if (!undo) throw new Fault("unsupported", "The server runs with --no-undo, and keeps no changes.");
    const identity = this.#pool.isMemory ? "" : identityOf(file);
    return (this.#list ??= new UndoList({ file, identity, days: undo.days }));
  }

  /** Decides what became of changes during which a process was killed. Inside a transaction that writes. */
  settle(connection: DatabaseConnection): void {
    if (!this.hasList) return;
    try {
      settle(this.list(), connection);
    } catch {
      // The next change will say that the list cannot be used.
    }
  }

  close(): void {
    this.#list?.close();
  }
}

const known = new WeakMap<ConnectionPool, PoolUndo>();

export function undoOf(pool: ConnectionPool): PoolUndo {
  const found = known.get(pool);
  if (found) return found;
  const undo = new PoolUndo(pool);
  known.set(pool, undo);
  pool.onWriterClosed(() => {
    known.delete(pool);
    undo.close();
  });
  return undo;
}
