import { realpathSync } from "node:fs";
import { basename } from "node:path";

import { Fault, quotePath } from "@suite/server-kit/domain";

import { readPart } from "../transfer/read-part.ts";

/** The end of a journal that names a super-journal, for a write to several databases at once. */
const MAGIC = "d9d505f920a163d7";

const LOOK_AGAIN_MS = 20;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/**
 * Call before SQLite may roll back an interrupted write: it would delete the file that the journal names, wherever that is, and
 * the journal may have come with the database from anywhere. This server never writes such a journal. Another program does for a
 * moment while it commits to several databases, so this waits: no lock distinguishes its journal from a planted one.
 */
export function refuseSuperJournal(file: string, patienceMs = 0): void {
  const end = Date.now() + patienceMs;
  while (hasSuperJournal(file)) {
    if (Date.now() >= end) throw refuse(quotePath(basename(journalOf(file))));
    Atomics.wait(SLEEPER, 0, 0, LOOK_AGAIN_MS);
  }
}

const refuse = (name: string): Fault =>
  new Fault(
    "unavailable",
    `A write to this database and others at once was interrupted, and to undo it SQLite would delete a file that ${name} names. Nothing was done.`,
    {
      retryable: false,
      hint: `Let the program that wrote it open the database. If the files came from elsewhere, do not open them with writing allowed: leave ${name} out.`,
    },
  );

const hasSuperJournal = (file: string): boolean => readPart(journalOf(file), -8, 8).toString("hex") === MAGIC;

const journalOf = (file: string): string => `${toReal(file)}-journal`;

/** SQLite looks beside the file itself, not beside a link to it. */
function toReal(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
