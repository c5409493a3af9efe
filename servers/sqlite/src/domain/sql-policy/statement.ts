import { Fault, truncate } from "@suite/server-kit/domain";
import { keywordOf, nameOf, positionOf, type Token, tokenize, toPlace } from "./tokens.ts";
import { type Slots, slotsOf } from "./slots.ts";

export const MAX_SQL_LENGTH = 1_000_000;

/** One statement, taken apart as far as the policy needs it. */
export interface Statement {
  /** The SQL as it was given, for positions in messages. */
  readonly source: string;
  /** From the first token to the last: what SQLite gets to see. */
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly explain: "plan" | "program" | undefined;
  /** What it does, in capitals: SELECT, INSERT, PRAGMA … behind EXPLAIN and WITH. */
  readonly verb: string;
  /** Where `verb` stands in `tokens`. */
  readonly verbAt: number;
  readonly returning: boolean;
  readonly slots: Slots;
}

/** Exactly one statement; a semicolon and comments may follow it. */
export function parseStatement(source: string): Statement {
  const tokens = parseTokens(source);
  const explain = explainOf(tokens);
  const first = explain === undefined ? 0 : explain === "plan" ? 3 : 1;
  const verbAt = keywordOf(tokens[first]) === "WITH" ? skipWith(tokens, first + 1) : first;
  const verb = keywordOf(tokens[verbAt]);
  const end = isTrigger(tokens, verbAt) ? endOfTrigger(tokens) : endOfPlain(tokens);
  const rest = tokens.slice(end).find(({ text }) => text !== ";");
  if (rest) {
    throw new Fault(
      "invalid_input",
      `There is more than one statement: the second begins at ${toPlace(positionOf(source, rest.start))}.`,
      {
        hint: "Give one statement a call; several that change rows go to execute_batch.",
        details: placeOf(source, rest),
      },
    );
  }
  const own = tokens.slice(0, end);
  const start = own[0]?.start ?? 0;
  const text = source.slice(start, own.at(-1)?.end ?? start);
  const returning = findOutside(own, verbAt, ["RETURNING"]) !== undefined;
  return { source, text, tokens: own, explain, verb, verbAt, returning, slots: slotsOf(own) };
}

function parseTokens(source: string): Token[] {
  if (source.length > MAX_SQL_LENGTH) {
    throw new Fault("too_large", `The SQL has ${source.length} characters, the limit is ${MAX_SQL_LENGTH}.`, {
      hint: "Pass long values as params.",
    });
  }
  if (/\p{Surrogate}/u.test(source)) {
    throw new Fault("invalid_input", "The SQL has half a character (a lone surrogate).");
  }
  // SQLite would stop reading there, and so see another text than the policy.
  if (source.includes("\0")) throw new Fault("invalid_input", "The SQL contains a NUL character.");
  const tokens = tokenize(source);
  const illegal = tokens.find(({ kind }) => kind === "illegal");
  if (illegal) throw toIllegal(source, illegal);
  const first = tokens.findIndex(({ text }) => text !== ";");
  if (first === -1) throw new Fault("invalid_input", "The SQL contains no statement.");
  return tokens.slice(first);
}

function toIllegal(source: string, token: Token): Fault {
  const place = toPlace(positionOf(source, token.start));
  const isOpen = /^['"`[]/.test(token.text);
  const shown = truncate(token.text, 20);
  const message = isOpen
    ? `The quote that begins at ${place} is never closed: ${shown}`
    : `Unrecognized token ${JSON.stringify(shown)} at ${place}.`;
  return new Fault("invalid_input", message, {
    ...(token.text === ":" && { hint: "Use CAST(… AS …) in place of ::." }),
    details: placeOf(source, token),
  });
}

const placeOf = (source: string, token: Token): { line: number; column: number; near: string } => ({
  ...positionOf(source, token.start),
  near: token.text.slice(0, 80),
});

function explainOf(tokens: readonly Token[]): Statement["explain"] {
  if (keywordOf(tokens[0]) !== "EXPLAIN") return undefined;
  return keywordOf(tokens[1]) === "QUERY" && keywordOf(tokens[2]) === "PLAN" ? "plan" : "program";
}

/**
 * The index after `[RECURSIVE] name [(columns)] AS [[NOT] MATERIALIZED] (…), …`. Walked, not searched for a verb: a common
 * table may be called "replace".
 */
function skipWith(tokens: readonly Token[], from: number): number {
  let at = keywordOf(tokens[from]) === "RECURSIVE" ? from + 1 : from;
  for (;;) {
    at += 1;
    if (tokens[at]?.text === "(") at = skipParentheses(tokens, at);
    while (["AS", "NOT", "MATERIALIZED"].includes(keywordOf(tokens[at]))) at += 1;
    at = skipParentheses(tokens, at);
    if (tokens[at]?.text !== ",") return at;
    at += 1;
  }
}

/** The index after the parenthesis that closes the one at `from`; SQLite reports one that is never closed. */
export function skipParentheses(tokens: readonly Token[], from: number): number {
  if (tokens[from]?.text !== "(") return from;
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    if (tokens[at]?.text === "(") depth += 1;
    if (tokens[at]?.text === ")") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}

function endOfPlain(tokens: readonly Token[]): number {
  const end = tokens.findIndex(({ text }) => text === ";");
  return end === -1 ? tokens.length : end;
}

function isTrigger(tokens: readonly Token[], verbAt: number): boolean {
  const next = tokens.slice(verbAt + 1, verbAt + 3).map(keywordOf);
  const kind = next[0] === "TEMP" || next[0] === "TEMPORARY" ? next[1] : next[0];
  return keywordOf(tokens[verbAt]) === "CREATE" && kind === "TRIGGER";
}

/** A trigger has semicolons inside; it ends with the END that follows one. */
function endOfTrigger(tokens: readonly Token[]): number {
  const end = tokens.findIndex((token, at) => keywordOf(token) === "END" && tokens[at - 1]?.text === ";");
  return end === -1 ? tokens.length : end + 1;
}

/** The first of these keywords that stands outside parentheses. */
function findOutside(tokens: readonly Token[], from: number, keywords: readonly string[]): Token | undefined {
  let depth = 0;
  return tokens.slice(from).find((token) => {
    if (token.text === "(") depth += 1;
    if (token.text === ")") depth -= 1;
    return depth === 0 && keywords.includes(keywordOf(token));
  });
}

/** Values that a parameter stands for just as well. A larger number would have to be rounded as SQLite does it. */
const VALUE = /^(?:'[^]*'|\d{1,18})$/;
const MOST_VALUES = 1000;

export interface LiftedValues {
  readonly text: string;
  readonly values: readonly (string | bigint)[];
}

/**
 * An INSERT with parameters in place of the values that it lists: thousands that differ in nothing else become one
 * statement. Only values that stand alone are taken, because a string may also be a name, as in 'table'.'column'.
 */
export function liftValues({ tokens, text, verb, slots }: Statement): LiftedValues {
  if ((verb !== "INSERT" && verb !== "REPLACE") || slots.length > 0) return { text, values: [] };
  const values: (string | bigint)[] = [];
  const start = tokens[0]?.start ?? 0;
  let [lifted, end, depth, isListed] = ["", 0, 0, false];
  const isOneOf = (at: number, signs: string): boolean => signs.includes(tokens[at]?.text ?? "-");
  for (const [at, token] of tokens.entries()) {
    if (token.text === "(") depth += 1;
    else if (token.text === ")") depth -= 1;
    else if (depth === 0 && token.text !== ",") isListed = keywordOf(token) === "VALUES";
    const isValue = isListed && depth === 1 && token.kind !== "quoted" && VALUE.test(token.text);
    if (!isValue || !isOneOf(at - 1, "(,") || !isOneOf(at + 1, ",)")) continue;
    lifted += `${text.slice(end, token.start - start)}?`;
    end = token.end - start;
    values.push(token.kind === "string" ? (nameOf(token) ?? "") : BigInt(token.text));
  }
  return values.length > MOST_VALUES ? { text, values: [] } : { text: lifted + text.slice(end), values };
}

/** What precedes a value is taken with it: to look back from each place in a long row of spaces would take quadratic time. */
const LISTED_VALUE = /([(,]\s*)('(?:[^']|'')*'|\d{1,18})(?=\s*[,)])/g;

/** What may be values, found without reading the statement: a NUL in place of each. Undefined where none can be. */
export function shapeOf(sql: string): LiftedValues | undefined {
  if (sql.length > MAX_SQL_LENGTH || sql.includes("\0") || /\p{Surrogate}/u.test(sql)) return undefined;
  const values: (string | bigint)[] = [];
  const text = sql.replaceAll(LISTED_VALUE, (_all, before: string, value: string) => {
    values.push(value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : BigInt(value));
    return `${before}\0`;
  });
  return values.length === 0 || values.length > MOST_VALUES ? undefined : { text, values };
}

/** The text with RETURNING added: SQLite takes it before the ORDER BY and LIMIT of an UPDATE or DELETE. */
export function withReturning({ text, tokens, verb, verbAt }: Statement, columns: string): string {
  const isLast = verb === "INSERT" || verb === "REPLACE";
  const next = isLast ? undefined : findOutside(tokens, verbAt, ["ORDER", "LIMIT"]);
  const at = next ? next.start - (tokens[0]?.start ?? 0) : text.length;
  return `${text.slice(0, at)} RETURNING ${columns} ${text.slice(at)}`;
}
