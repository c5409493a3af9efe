import { statSync } from "node:fs";
import { VersionWatch } from "@suite/server-kit/domain";
import type { NamedDatabase } from "./databases.ts";
import { readPart } from "./read-part.ts";

interface WatchedDatabase {
  readonly database: NamedDatabase;
  readonly listeners: Set<() => void>;
  fingerprint: string;
}

/** Often enough to feel at once, seldom enough to cost nothing. */
const LOOK_MS = 200;

/**
 * Notices that a database has changed, by us or by any other process. While somebody listens, its files are looked at a
 * few times a second, which works on every file system and loses nothing.
 */
export class DatabaseWatch {
  readonly #watched = new Map<string, WatchedDatabase>();
  readonly #schemas = new Map<string, VersionWatch>();
  #timer: NodeJS.Timeout | undefined;

  /** Returns how to stop. */
  listen(database: NamedDatabase, changed: () => void): () => void {
    const watched = this.#watched.get(database.name) ?? {
      database,
      listeners: new Set<() => void>(),
      fingerprint: lookAt(database),
    };
    // Each call is a listener of its own, whatever function it brings.
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

  /** Until `close`, and once per database however often it is asked for. */
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

  /** After a write of our own: nobody has to wait for the next look, and what is in memory has no file to look at. */
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

/** Another file under the same name may have the same number. */
async function versionOf({ file, engine }: NamedDatabase): Promise<string> {
  const version = await engine.task("version", {}, AbortSignal.timeout(CHECK_MS));
  const inode = engine.isMemory ? "" : String(statSync(file, { throwIfNoEntry: false })?.ino);
  return `${inode}:${String(version)}`;
}

/** Where a database file counts its commits. */
const COUNTER = [24, 4] as const;
/** What the index of a write-ahead log begins with: counters and checksums that are others after every commit. */
const LOG_STATE = [0, 48] as const;

/**
 * Another one after every commit, whoever makes it, without a lock and without SQLite. Times and sizes of files are not
 * enough: two commits may fall into one tick of the clock.
 */
export function fingerprintOf(file: string): string {
  const database = `${describe(file)} ${readPart(file, ...COUNTER).toString("base64")}`;
  const log = describe(`${file}-wal`);
  // An empty log is there as soon as somebody reads.
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
