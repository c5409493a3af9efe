import { Fault, type FaultCode } from "@suite/server-kit/domain";
import { sentence, type SqliteError } from "./sqlite-error.ts";

interface Kind {
  readonly code: FaultCode;
  readonly words: (subject: string) => string;
  readonly hint?: (verb: string | undefined) => string;
}

const TAKEN: Kind = {
  code: "conflict",
  words: (subject) => `A row with the same ${subject} exists already`,
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
    words: () => "A foreign key would point to a row that is not there",
    hint: (verb) =>
      verb === "DELETE"
        ? "Delete the rows that point to it first, or point them elsewhere."
        : verb === "UPDATE"
          ? "Point to a row that exists; a key that others point to cannot be changed before they are."
          : "Insert the row that is pointed to first.",
  },
  SQLITE_CONSTRAINT_TRIGGER: { code: "conflict", words: (subject) => `A trigger refused it: ${subject}` },
};

/** A constraint that does not hold: which, and of what. Nothing of the statement happened. */
export function toConstraintFault(error: SqliteError, verb?: string): Fault | undefined {
  if (!error.code.startsWith("SQLITE_CONSTRAINT")) return undefined;
  const subject = /constraint failed: (.*)$/s.exec(error.message)?.[1] ?? error.message;
  const kind = KINDS[error.code];
  const said =
    subject === error.message && kind?.words(subject).includes(subject) ? "" : ` (${error.message})`;
  const message = kind ? `${kind.words(subject)}${said}.` : sentence(error.message);
  const columns = /^[^:]+\.[^:]+$/.test(subject) ? subject.split(", ") : undefined;
  return new Fault(kind?.code ?? "conflict", message, {
    ...(kind?.hint === undefined ? {} : { hint: kind.hint(verb) }),
    details: {
      constraint: error.code.replace("SQLITE_CONSTRAINT_", "").toLowerCase(),
      ...(columns ? { columns } : { subject }),
      sqlite: error.code,
    },
    cause: error,
  });
}
