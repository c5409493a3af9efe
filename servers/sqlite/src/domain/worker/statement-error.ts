import { Fault, suggest, truncate } from "@suite/server-kit/domain";
import { cite, citeAll } from "../values/cite.ts";
import { nameOf, type Position, positionOf, type Token, tokenize, toPlace } from "../sql-policy/tokens.ts";
import { parseStatement } from "../sql-policy/statement.ts";
import {
  isSqliteError,
  type Keys,
  type SqliteError,
  toCodedFault,
  toConstraintFault,
  wordsOf,
} from "./sqlite-error.ts";

/** Looks up what an error message names: in the schema, and with SQLite's own parser. */
export interface SchemaLookup {
  tables(): string[];
  columns(tables: readonly string[]): string[];
  functions(): string[];
  keys(table: string, verb: string | undefined): Keys;
  /** SQLite's error for a text that is not run, or undefined if it has none. */
  complaint(sql: string): string | undefined;
}

interface Missing {
  readonly pattern: RegExp;
  readonly what: string;
  readonly known: (lookup: SchemaLookup, sql: string) => readonly string[];
}

/** Columns of tables that the statement does not name would be no help. */
const tablesIn = (lookup: SchemaLookup, sql: string): string[] => {
  const named = new Set(tokenize(sql).map((token) => nameOf(token)?.toLowerCase()));
  return lookup.tables().filter((table) => named.has(table.toLowerCase()));
};

const columnsIn = (lookup: SchemaLookup, sql: string): readonly string[] =>
  lookup.columns(tablesIn(lookup, sql));

const MOST_TABLES = 3;
const MOST_COLUMNS = 30;

function listColumns(lookup: SchemaLookup, sql: string): string | undefined {
  const lists = tablesIn(lookup, sql).flatMap((table) => {
    const columns = lookup.columns([table]);
    return columns.length === 0 ? [] : [`${cite(table)} has ${citeAll(columns, MOST_COLUMNS)}.`];
  });
  return lists.length === 0 ? undefined : lists.slice(0, MOST_TABLES).join(" ");
}

const MISSING: readonly Missing[] = [
  { pattern: /^no such table: (.+)$/s, what: "table", known: (lookup) => lookup.tables() },
  { pattern: /^no such column: (.+)$/s, what: "column", known: columnsIn },
  { pattern: /has no column named (.+)$/s, what: "column", known: columnsIn },
  { pattern: /^no such function: (.+)$/s, what: "function", known: (lookup) => lookup.functions() },
];

/** Other SQL dialects: matched with the name of a missing function, or with the text up to a syntax error. */
const DIALECTS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^(now|getdate|curdate)$/i, "Use datetime('now') or date('now')."],
  [
    /^(date_trunc|date_format|date_part|to_char|year|month|day)$|\bextract\s*\(\s*\w+\s+from$/i,
    "Use strftime('%Y-%m', …); %Y, %m and %d are the parts of a date.",
  ],
  [/^(date_add|date_sub|dateadd)$|\binterval\s+('[^']*'|\S+)$/i, "Use datetime(…, '+1 day')."],
  [/^datediff$/i, "Use julianday(…) - julianday(…)."],
  [/\bilike$/i, "Use LIKE: it ignores the case of ASCII letters."],
  [/^regexp$/i, "Use LIKE or GLOB."],
  [/(?<!\.)\b(top|fetch)\s+\S+$/i, "Use LIMIT at the end."],
  [/^(left|right)$/i, "Use substr(…)."],
  [/^(greatest|least)$/i, "Use max(…) or min(…) with several arguments."],
  [/\bauto_?increment$/i, "Use INTEGER PRIMARY KEY: SQLite numbers such a column itself."],
  [
    /\balter\s+table\s+\S+\s+(modify|change|alter\s+column\s+\S+\s+type)$/i,
    "The type of a column cannot be changed: add another column, and drop this one. RENAME COLUMN renames it.",
  ],
  [
    /(^\s*update|\b(from|join|into|table))\s+\w+$/i,
    'A name goes there, in double quotes if it is a keyword: "order".',
  ],
];
const OTHER_TABLES: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^(information_schema|pg_catalog)\./i, "Use list_tables and describe_table."],
  [
    /^generate_series$/i,
    "Use WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n.",
  ],
];
/** More than any of the patterns takes. */
const DIALECT_LENGTH = 100;

function otherDialect(what: string, name: string): string | undefined {
  if (what === "function") return dialectHint(name);
  return what === "table" ? dialectHint(name, OTHER_TABLES) : undefined;
}

const dialectHint = (text: string, known = DIALECTS): string | undefined =>
  known.find(([pattern]) => pattern.test(text))?.[1];

/** SQLite adds this question to a name in double quotes. */
const STRING_MEANT = " - should this be a string literal in single-quotes?";

/** Refusals by SQLite itself, which it reports as ordinary errors. */
const REFUSAL = /^unsafe use of|may not be (modified|altered|dropped|indexed)|^not authorized|prohibited in/;

/** Turns an error of SQLite into a fault that says what is wrong with the statement, where, and what to do. */
export function toStatementFault(thrown: unknown, sql: string, lookup: SchemaLookup, verb?: string): unknown {
  if (!isSqliteError(thrown)) return thrown;
  return (
    toConstraintFault(thrown, verb, () => lookup.keys(changedTable(sql, lookup), verb)) ??
    (thrown.code === "SQLITE_ERROR"
      ? (toRefusalFault(thrown) ??
        toSyntaxFault(thrown, sql, lookup) ??
        toSearchFault(thrown, sql, lookup) ??
        toMissingFault(thrown, sql, lookup))
      : undefined) ??
    toCodedFault(thrown)
  );
}

/** The first known table named after the verb. */
function changedTable(sql: string, lookup: SchemaLookup): string {
  const { tokens, verbAt } = parseStatement(sql);
  const known = new Set(lookup.tables().map((table) => table.toLowerCase()));
  const names = tokens.slice(verbAt + 1).map((token) => nameOf(token) ?? "");
  return names.find((name) => known.has(name.toLowerCase())) ?? "";
}

function toRefusalFault(error: SqliteError): Fault | undefined {
  if (!REFUSAL.test(error.message)) return undefined;
  return new Fault("permission_denied", `The statement is refused: ${wordsOf(error)}.`, {
    details: { sqlite: error.code },
    cause: error,
  });
}

function toSyntaxFault(error: SqliteError, sql: string, lookup: SchemaLookup): Fault | undefined {
  if (error.message === "incomplete input") {
    return toLocated(error, "The statement is incomplete", positionOf(sql, sql.trimEnd().length));
  }
  const near = /^near "(.*)": syntax error$/s.exec(error.message)?.[1];
  if (near === undefined) return undefined;
  const token = locateNear(sql, near, error.message, lookup);
  const words = `Syntax error near ${JSON.stringify(near)}`;
  const hint = token && dialectHint(sql.slice(Math.max(0, token.end - DIALECT_LENGTH), token.end));
  return toLocated(error, words, token && positionOf(sql, token.start), { hint });
}

/**
 * SQLite names the token that it stopped at, but not its position: of several, it is the first at which the text up to it
 * gives the same error.
 */
function locateNear(sql: string, near: string, complaint: string, lookup: SchemaLookup): Token | undefined {
  const { source, tokens } = parseStatement(sql);
  const start = tokens[0]?.start ?? 0;
  const candidates = tokens.filter(({ text }) => text === near).slice(0, MAX_CANDIDATES);
  if (candidates.length < 2) return candidates[0];
  return candidates.find(({ end }) => lookup.complaint(source.slice(start, end)) === complaint);
}

const MAX_CANDIDATES = 100;

/** An FTS5 query is text to SQLite: its errors come when the statement runs, and may read like those of SQL. */
function toSearchFault(error: SqliteError, sql: string, lookup: SchemaLookup): Fault | undefined {
  const isOfSearch = /^(fts5: syntax error|unterminated string$|no such column: [^.]+$)/.test(error.message);
  // A pragma that is read as a table names what a broken view lacks, and that only when it runs, too.
  if (!isOfSearch || /\bpragma_/i.test(sql) || lookup.complaint(sql) !== undefined) return undefined;
  return toLocated(error, `The full-text query is not valid: ${wordsOf(error)}`, undefined, {
    hint: `Words such as AND, or with anything but letters and digits, go in double quotes: MATCH '"full-text"'.`,
  });
}

const TEXT_IN_QUOTES = "Text goes in single quotes; double quotes are for names.";
const NAMED_ELSEWHERE =
  "The definition of a table, view or trigger that the statement uses names it: describe_table shows it.";
const PREFIX = /^(?!(?:main|temp)\.)[^.]+\./i;
const OTHER_DATABASE = "If that is one of several databases, pass it as database, and name the table alone.";
const MOST_LISTED = 20;
/** Longer names are not typos, and are slow to compare. */
const MAX_NAME = 100;

function toMissingFault(error: SqliteError, sql: string, lookup: SchemaLookup): Fault | undefined {
  for (const { pattern, what, known } of MISSING) {
    const missing = pattern.exec(error.message)?.[1];
    if (missing === undefined) continue;
    const name = missing.replace(STRING_MEANT, "");
    const last = name === missing ? (name.split(".").at(-1) ?? name) : name.slice(1, -1);
    const dialect = otherDialect(what, name.slice(0, MAX_NAME));
    const columns = what === "column" ? listColumns(lookup, sql) : undefined;
    const said = `.${name.toLowerCase()}`;
    const places = tokenize(sql).filter((token) => formsOf(token).some((form) => said.endsWith(`.${form}`)));
    const isTypo = dialect === undefined && places.length > 0 && last.length <= MAX_NAME;
    const suggestion = isTypo ? suggest(last, known(lookup, sql)) : undefined;
    const tables = what === "table" ? adviseTables(lookup, name, suggestion) : undefined;
    const only = places.length === 1 && places[0] ? positionOf(sql, places[0].start) : undefined;
    return toLocated(error, `No such ${what}: ${truncate(name, MAX_NAME)}`, only, {
      suggestion,
      hint:
        places.length === 0
          ? NAMED_ELSEWHERE
          : name === missing
            ? (dialect ?? columns ?? tables)
            : TEXT_IN_QUOTES,
    });
  }
  return undefined;
}

function adviseTables(
  lookup: SchemaLookup,
  name: string,
  suggestion: string | undefined,
): string | undefined {
  if (PREFIX.test(name)) return OTHER_DATABASE;
  return suggestion === undefined
    ? `There are: ${citeAll(lookup.tables(), MOST_LISTED) || "none"}.`
    : undefined;
}

/** How messages give a name: behind its table, in double quotes, or in those and as it is written. */
function formsOf(token: Token): readonly string[] {
  const name = nameOf(token);
  const forms = name === undefined ? [] : [name, `"${name}"`, `"${token.text}"`];
  return forms.map((form) => form.toLowerCase());
}

interface Advice {
  readonly suggestion?: string | undefined;
  readonly hint?: string | undefined;
}

function toLocated(
  error: SqliteError,
  words: string,
  position?: Position,
  { suggestion, hint }: Advice = {},
): Fault {
  const where = position ? ` at ${toPlace(position)}` : "";
  const meant = suggestion === undefined ? "" : ` (did you mean ${cite(suggestion)}?)`;
  return new Fault("invalid_input", `${words}${where}${meant}.`, {
    hint,
    details: { sqlite: error.code, ...position, ...(suggestion === undefined ? {} : { suggestion }) },
    cause: error,
  });
}
