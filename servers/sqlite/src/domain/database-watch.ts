import { statSync } from "node:fs";
import { VersionWatch } from "@suite/server-kit/domain";
import type { NamedDatabase } from "./databases.ts";
import { readPart } from "./transfer/read-part.ts";

interface WatchedDatabase {
  readonly database: NamedDatabase;
  readonly listeners: Set<() => void>;
  fingerprint: string;
}

/** Short enough to feel instant, long enough to cost nothing. */
const LOOK_MS = 200;

/**
 * Notices changes to a database by this or any other process. While there are listeners, its files are polled a few times
 * a second, which works on every file system and misses nothing.
 */
export class DatabaseWatch {
  readonly #watched = new Map<string, WatchedDatabase>();
  readonly #schemas = new Map<string, VersionWatch>();
  #timer: NodeJS.Timeout | undefined;

  /** Returns a function that stops listening. */
  listen(database: NamedDatabase, changed: () => void): () => void {
    const watched = this.#watched.get(database.name) ?? {
      database,
      listeners: new Set<() => void>(),
      fingerprint: lookAt(database),
    };
    // A function of its own for each call: the same `changed` may be passed twice.
    const listener = (): void => changed();
    watched.listeners.add(listener);
    this.#watched.set(database.name, watched);
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0) return;
      this.#watched.delete(database.name);
      if (this.#watched.size === 0) this.close();
    };
  }

  /** Listens until `close`; further calls for the same database have no effect. */
  listenToSchema(database: NamedDatabase, changed: () => void): void {
    if (this.#schemas.has(database.name)) return;
    const watch = new VersionWatch(() => versionOf(database), changed);
    this.#schemas.set(database.name, watch);
    this.listen(database, () => watch.look());
    watch.look();
  }

  look(): void {
    for (const watched of this.#watched.values()) {
      const fingerprint = lookAt(watched.database);
      if (fingerprint === watched.fingerprint) continue;
      watched.fingerprint = fingerprint;
      tell(watched);
    }
  }

  /** After our own writes: listeners need not wait for the next poll, and an in-memory database has no file to poll. */
  wrote(database: NamedDatabase): void {
    const watched = this.#watched.get(database.name);
    if (watched && database.engine.isMemory) tell(watched);
    else this.look();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#watched.clear();
    for (const watch of this.#schemas.values()) watch.close();
    this.#schemas.clear();
  }
}

function tell({ listeners }: WatchedDatabase): void {
  for (const listener of listeners) listener();
}

const lookAt = ({ file, engine }: NamedDatabase): string => (engine.isMemory ? "" : fingerprintOf(file));

const CHECK_MS = 10_000;

/** With the inode: another file under the same name may have the same version. */
async function versionOf({ file, engine }: NamedDatabase): Promise<string> {
  const version = await engine.task("version", {}, AbortSignal.timeout(CHECK_MS));
  const inode = engine.isMemory ? "" : String(statSync(file, { throwIfNoEntry: false })?.ino);
  return `${inode}:${String(version)}`;
}

/** Offset and length of the change counter in the header of a database file. */
const COUNTER = [24, 4] as const;
/** The header of the WAL index: its counters and checksums change with every commit. */
const LOG_STATE = [0, 48] as const;

/**
 * Changes with every commit of any process; needs no lock and no SQLite. File times and sizes are not enough: two commits
 * may fall into one tick of the clock.
 */
export function fingerprintOf(file: string): string {
  const database = `${describe(file)} ${readPart(file, ...COUNTER).toString("base64")}`;
  const log = describe(`${file}-wal`);
  // Reading alone creates an empty log.
  return log.includes(":0:") || log === ""
    ? database
    : `${database} ${log} ${readPart(`${file}-shm`, ...LOG_STATE).toString("base64")}`;
}

function describe(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch {
    return "";
  }
}
