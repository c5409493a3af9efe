import { codeOf, defuse, Fault, type FaultCode, truncate, toVisibleLine } from "@suite/server-kit/domain";

import { citeAll } from "../values/cite.ts";

/** better-sqlite3's error for a result code of SQLite. */
export interface SqliteError extends Error {
  readonly code: string;
}

export const isSqliteError = (thrown: unknown): thrown is SqliteError =>
  String(codeOf(thrown)).startsWith("SQLITE_");

interface Meaning {
  readonly code: FaultCode;
  /** Replaces SQLite's own message, which is added in parentheses. */
  readonly message?: string;
  readonly hint?: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

const LOCKED: Meaning = {
  code: "unavailable",
  message: "The database is locked by another process, which did not finish in time",
  hint: "Nothing was changed. Try again.",
  retryAfterMs: 250,
};
const READ_ONLY: Meaning = { code: "permission_denied", message: "The database is read-only" };
const INTERRUPTED_WRITE: Meaning = {
  code: "unavailable",
  retryable: false,
  message: "A write to this database was interrupted, and only a writable connection can repair it",
  hint: "Nothing is lost. Open the database once with writing allowed.",
};
const CORRUPT: Meaning = {
  code: "unavailable",
  retryable: false,
  message: "The database file is damaged. Nothing was written",
  hint: "Restore a backup, or recover what can be read with the .recover command of the sqlite3 shell.",
};
const INPUT_OUTPUT: Meaning = { code: "unavailable", message: "Reading or writing the database file failed" };
const OUT_OF_MEMORY: Meaning = {
  code: "too_large",
  message: "The statement needed more memory than allowed",
  hint: "Ask for less: fewer columns, a LIMIT, smaller values.",
};

/** By extended code, or by the primary code that begins it. */
const MEANINGS: { readonly [code: string]: Meaning } = {
  SQLITE_BUSY: LOCKED,
  SQLITE_LOCKED: LOCKED,
  SQLITE_PROTOCOL: LOCKED,
  SQLITE_READONLY: READ_ONLY,
  SQLITE_READONLY_ROLLBACK: INTERRUPTED_WRITE,
  SQLITE_READONLY_RECOVERY: INTERRUPTED_WRITE,
  SQLITE_READONLY_CANTINIT: INTERRUPTED_WRITE,
  SQLITE_READONLY_DIRECTORY: {
    code: "permission_denied",
    message:
      "The directory of the database cannot be written, and SQLite needs files beside the database: a log in WAL mode, a journal to write",
    hint: "The operator makes the directory writable, or serves a copy in one that is. A copy in another journal mode than WAL can be read anywhere.",
  },
  SQLITE_READONLY_DBMOVED: {
    code: "unavailable",
    message: "The database file was moved or replaced. Nothing was written",
    retryAfterMs: 0,
  },
  SQLITE_FULL: {
    code: "unavailable",
    retryable: false,
    message: "The disk is full, or no rowid is available. Nothing was written",
    hint: "Free some space first.",
  },
  SQLITE_CORRUPT: CORRUPT,
  SQLITE_NOTADB: { code: "unsupported", message: "The file is not an SQLite database, or is encrypted" },
  SQLITE_FORMAT: { code: "unsupported", message: "The file is not an SQLite database of a known format" },
  SQLITE_IOERR: INPUT_OUTPUT,
  SQLITE_IOERR_NOMEM: OUT_OF_MEMORY,
  SQLITE_CANTOPEN: {
    code: "unavailable",
    retryable: false,
    message: "The database file, or a file beside it, cannot be opened",
    hint: "A database in WAL mode needs a writable directory.",
  },
  SQLITE_NOMEM: OUT_OF_MEMORY,
  SQLITE_TOOBIG: { code: "too_large", message: "A value or the statement is too big" },
  SQLITE_INTERRUPT: { code: "cancelled", message: "The statement was interrupted" },
  SQLITE_AUTH: { code: "permission_denied", message: "The statement is refused" },
  SQLITE_PERM: { code: "permission_denied", message: "The database file may not be used" },
  SQLITE_NOLFS: { code: "unsupported" },
  SQLITE_SCHEMA: {
    code: "unavailable",
    message: "The schema changed while the statement ran",
    retryAfterMs: 0,
  },
  SQLITE_MISMATCH: { code: "invalid_input", message: "A value has the wrong type for its column" },
  SQLITE_RANGE: { code: "invalid_input", message: "There are too many parameters" },
  SQLITE_ERROR: { code: "invalid_input" },
};

/** After one of these, the connection is not used again. */
export const isConnectionLost = (thrown: unknown): boolean =>
  isSqliteError(thrown) && /^SQLITE_(IOERR|CANTOPEN|NOTADB|CORRUPT|READONLY_|FORMAT|NOMEM)/.test(thrown.code);

const LONGEST = 300;

/** SQLite's message on one line, cut: it repeats names, values and messages of triggers, which may have any length. */
export const wordsOf = ({ message }: SqliteError): string =>
  truncate(defuse(toVisibleLine(message)), LONGEST);

/** The fault for a result code alone, whatever the statement. */
export function toCodedFault(error: SqliteError): Fault {
  const primary = /^SQLITE_[A-Z]+/.exec(error.code)?.[0] ?? "";
  const { code, message, ...options } = MEANINGS[error.code] ?? MEANINGS[primary] ?? { code: "internal" };
  const said = wordsOf(error);
  const words = message === undefined ? sentence(said) : `${message} (${said}).`;
  return new Fault(code, words, { ...options, details: { sqlite: error.code }, cause: error });
}

const sentence = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;

interface Kind {
  readonly code: FaultCode;
  readonly words: (subject: string) => string;
  readonly hint?: (verb: string | undefined, keys: Keys) => string;
}

/** The tables at the other ends of a table's foreign keys. */
export interface Keys {
  readonly pointedTo: readonly string[];
  /** Without those whose rows are deleted or set to NULL with the row, but with those that point to the rows deleted. */
  readonly pointing: readonly string[];
  /** Just these keys are broken. Otherwise, they may be. */
  readonly areBroken: boolean;
}

const NO_KEYS: Keys = { pointedTo: [], pointing: [], areBroken: false };

const TAKEN: Kind = {
  code: "conflict",
  words: (subject) => `A row with the same ${subject} already exists`,
  hint: (verb) =>
    verb === "INSERT"
      ? "Change the values, or say what to do with INSERT … ON CONFLICT."
      : "Change the values, so that each row has its own.",
};
const KINDS: { readonly [code: string]: Kind } = {
  SQLITE_CONSTRAINT_UNIQUE: TAKEN,
  SQLITE_CONSTRAINT_PRIMARYKEY: TAKEN,
  SQLITE_CONSTRAINT_ROWID: TAKEN,
  SQLITE_CONSTRAINT_NOTNULL: { code: "invalid_input", words: (subject) => `${subject} must not be NULL` },
  SQLITE_CONSTRAINT_CHECK: {
    code: "invalid_input",
    words: (subject) => `The check ${subject} does not hold`,
  },
  SQLITE_CONSTRAINT_DATATYPE: {
    code: "invalid_input",
    words: (subject) => `The type does not fit: ${subject}`,
  },
  SQLITE_CONSTRAINT_FOREIGNKEY: {
    code: "conflict",
    words: () => "A foreign key would point to a row that does not exist",
    hint: (verb, { pointedTo, pointing, areBroken }) => {
      const from = pointing.length === 0 ? "" : ` (in ${citeAll(pointing)})`;
      const to = pointedTo.length === 0 ? "" : ` (in ${citeAll(pointedTo)})`;
      if (verb === "DROP") return `Delete the rows that point to it${from} first, or drop their tables.`;
      if (verb === "DELETE") return `Delete the rows that point to it${from} first, or point them elsewhere.`;
      const isOfOthers = areBroken && to === "";
      if (verb !== "UPDATE")
        return isOfOthers
          ? `Others point to the row that it would replace${from}: change that row, with INSERT … ON CONFLICT DO UPDATE.`
          : `Insert the row that is pointed to${to} first.`;
      if (isOfOthers) return `A key that others point to${from} cannot be changed before they are.`;
      const others =
        areBroken && from === ""
          ? ""
          : `; a key that others point to${from} cannot be changed before they are`;
      return `Point to a row that exists${to}${others}.`;
    },
  },
  SQLITE_CONSTRAINT_TRIGGER: { code: "conflict", words: (subject) => `A trigger refused it: ${subject}` },
};

/** Names the violated constraint and its columns. The statement had no effect. */
export function toConstraintFault(
  error: SqliteError,
  verb?: string,
  keys: () => Keys = () => NO_KEYS,
): Fault | undefined {
  if (!error.code.startsWith("SQLITE_CONSTRAINT")) return undefined;
  const words = wordsOf(error);
  const subject = /constraint failed: (.*)$/.exec(words)?.[1] ?? words;
  const kind = KINDS[error.code];
  const said = subject === words && kind?.words(subject).includes(subject) ? "" : ` (${words})`;
  const message = kind ? `${kind.words(subject)}${said}.` : sentence(words);
  const columns = /^[^:]+\.[^:]+$/.test(subject) ? subject.split(", ") : undefined;
  return new Fault(kind?.code ?? "conflict", message, {
    hint: kind?.hint?.(verb, keys()),
    details: {
      constraint: error.code.replace("SQLITE_CONSTRAINT_", "").toLowerCase(),
      ...(columns ? { columns } : { subject }),
      sqlite: error.code,
    },
    cause: error,
  });
}
