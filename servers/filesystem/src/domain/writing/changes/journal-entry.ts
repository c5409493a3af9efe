import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { OpenDirectory, rename } from "@suite/server-kit/domain";
import { closing } from "../../closing.ts";
import { type ChangeRecord, type Draft, readRecord } from "./change-record.ts";
import { readSmallFile, statsOf } from "./identity.ts";
import { removeTree } from "./remove-tree.ts";
import type { Trash } from "./trash.ts";

/**
 * The state of a change, by the record file that exists. "pending": it is being prepared, and nothing has changed. "commit":
 * everything is prepared, and any part of it may have happened. "rollback": it is being rolled back; needed because the
 * prepared files are then gone, as if it were done. "entry": it is done; while "pending" exists as well, cleanup is not
 * complete.
 */
type Phase = "pending" | "commit" | "rollback" | "entry";

const PHASES: readonly Phase[] = ["entry", "rollback", "commit", "pending"];
const MOST_RECORD_BYTES = 16 * 1024 * 1024;

export interface FoundRecord {
  readonly phase: Phase;
  readonly record: ChangeRecord;
}

/** The folder of one change: its record and the kept files. Must be closed. */
export class JournalEntry {
  readonly id: string;
  readonly folder: OpenDirectory;
  readonly #trash: Trash;

  constructor(trash: Trash, id: string) {
    this.id = id;
    this.#trash = trash;
    this.folder = trash.folder.enter(id);
  }

  /** The first step of a change: recovery finds all leftovers through this record. */
  static begin(trash: Trash, record: Draft): JournalEntry {
    mkdirSync(trash.folder.at(record.id), { mode: 0o700 });
    const entry = new JournalEntry(trash, record.id);
    try {
      writeFileSync(entry.folder.at("pending.tmp"), entry.#serialize(record), { flag: "wx" });
      rename(entry.folder.at("pending.tmp"), entry.folder.at("pending.json"));
      return entry;
    } catch (error) {
      // On a full disk the file may exist without its content.
      rmSync(entry.folder.at("pending.tmp"), { force: true });
      entry.close();
      rmSync(trash.folder.at(record.id), { recursive: true, force: true });
      throw error;
    }
  }

  /** From here on, any part of the change may have happened. */
  commit(record: Draft): void {
    const fd = openSync(this.folder.at("commit.tmp"), "w", 0o600);
    try {
      writeFileSync(fd, this.#serialize(record));
      // With several operations, the record must be on disk before the first. With one, the file system keeps the order.
      if (record.operations.length > 1) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    rename(this.folder.at("commit.tmp"), this.folder.at("commit.json"));
  }

  /** From here on the change is done except for cleanup. */
  finish(): void {
    rename(this.folder.at("commit.json"), this.folder.at("entry.json"));
  }

  /** From here on the change can only be rolled back, by this process or by recovery. */
  turnBack(): void {
    rename(this.folder.at("commit.json"), this.folder.at("rollback.json"));
  }

  /** Marks the cleanup as complete. */
  conclude(): void {
    for (const phase of ["rollback", "pending"]) rmSync(this.folder.at(`${phase}.json`), { force: true });
  }

  get isConcluded(): boolean {
    return statsOf(this.folder.at("pending.json")) === undefined;
  }

  /** The record; undefined if it is invalid or belongs to another folder. */
  read(): FoundRecord | undefined {
    const phase = this.#phase();
    if (phase === undefined) return undefined;
    const path = this.folder.at(`${phase}.json`);
    const record = readRecord(readSmallFile(path, MOST_RECORD_BYTES)?.toString() ?? "");
    return record?.id === this.id && record.proof === this.#proof() ? { phase, record } : undefined;
  }

  hasRecord(): boolean {
    return this.#phase() !== undefined;
  }

  close(): void {
    this.folder.close();
  }

  /** Removes the folder with all kept files. */
  async remove(): Promise<void> {
    await removeTree(this.#trash.folder.at(this.id));
  }

  #phase(): Phase | undefined {
    return PHASES.find((name) => statsOf(this.folder.at(`${name}.json`))?.isFile());
  }

  #serialize(record: Draft): string {
    const text = JSON.stringify({ ...record, proof: this.#proof() });
    // Nobody could undo the change, or recover from its interruption.
    if (!readRecord(text)) throw new Error(`The record of ${record.id} could not be read back`);
    return text;
  }

  /** Unpredictable, so that a record in a malicious repository is not accepted after a checkout. */
  #proof(): string {
    const { ino, birthtimeNs } = this.folder.stats();
    return `${ino}-${birthtimeNs}`;
  }
}

/** Removes the folder of a change. Throws if it is not a directory. */
export const removeChange = (trash: Trash, id: string): Promise<void> =>
  closing(new JournalEntry(trash, id), (entry) => entry.remove());
