import { Fault } from "@suite/server-kit/domain";
import { type BadRow, type Field, MOST_FIELDS } from "./field.ts";

export type JsonRecord = { readonly [name: string]: Field };

interface JsonLine {
  readonly record: number;
  readonly values: JsonRecord;
}

/** In characters; of an item of an array, too. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** Parses one object per line from text in pieces. Skips empty lines. */
export async function* parseJsonLines(pieces: AsyncIterable<string>): AsyncGenerator<JsonLine | BadRow> {
  let rest: string[] = [];
  let [number, length] = [0, 0];
  for await (const piece of pieces) {
    const [first = "", ...others] = piece.split("\n");
    rest.push(first);
    length += first.length;
    if (length > LONGEST_LINE) throw new Fault("too_large", `Line ${number + 1} is too long.`);
    for (const next of others) {
      number += 1;
      yield* parseLine(rest.join(""), number);
      [rest, length] = [[next], next.length];
    }
  }
  yield* parseLine(rest.join(""), number + 1);
}

/** Whether the file is one array of objects, rather than, say, a log whose first line begins with `[info]`. */
export const isJsonArray = (start: string): boolean => /^\s*\[\s*[{\]]/.test(start);

/** Parses the items of such an array from text in pieces. */
export async function* parseJsonArray(pieces: AsyncIterable<string>): AsyncGenerator<JsonLine | BadRow> {
  const finder = new MarkFinder();
  let rest: string[] = [];
  let [number, length, depth, isEnded] = [1, 0, 0, false];
  for await (const piece of pieces) {
    let start = 0;
    for (const { mark, at } of finder.marksOf(piece)) {
      if (isEnded) throw brokenArray();
      if (OPENING.has(mark) && ++depth === 1) start = at + 1;
      if (CLOSING.has(mark)) depth -= 1;
      isEnded = depth === 0;
      if (!isEnded && (depth > 1 || mark !== COMMA)) continue;
      if (isEnded && mark !== BRACKET) throw brokenArray();
      const item = [...rest, piece.slice(start, at)].join("");
      [rest, length, start] = [[], 0, at + 1];
      const isEmptyArray = isEnded && number === 1 && item.trim() === "";
      if (!isEmptyArray) yield parseObject(item, number, "Item");
      number += 1;
    }
    rest.push(piece.slice(start));
    length += piece.length - start;
    if (length > LONGEST_LINE) throw new Fault("too_large", `Item ${number} is too long.`);
  }
  if (!isEnded || rest.join("").trim() !== "") throw brokenArray();
}

const brokenArray = (): Fault =>
  new Fault("invalid_input", "The file begins with an array, which is cut off, or something follows it.", {
    hint: FORMS,
  });

function* parseLine(line: string, record: number): Generator<JsonLine | BadRow> {
  if (line.trim() !== "") yield parseObject(line, record, "Line");
}

function parseObject(text: string, record: number, what: "Line" | "Item"): JsonLine | BadRow {
  const bad = (why: string, hint?: string): BadRow => ({
    record,
    reason: `${what} ${record} ${why}.`,
    ...(hint !== undefined && { hint }),
  });
  if (hasTooManyValues(text)) return bad(`has more than ${MOST_VALUES} values`);
  const parsed = parseJson(text);
  const hint = record === 1 && /^\s*\[|[[{,]\s*$/.test(text) ? FORMS : undefined;
  if (parsed === undefined) return bad("is not JSON", hint);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return bad("is not a JSON object", hint);
  if (Object.keys(parsed).length > MOST_FIELDS) return bad("has more values than a row can have");
  const isFlat = !Object.values(parsed).some(isNested);
  return { record, values: (isFlat ? parsed : parseJson(nestedToText(text))) as JsonRecord };
}

const FORMS = "JSON has one object a line, or one array of objects.";

/** With those of nested objects and arrays. */
const MOST_VALUES = 1_000_000;
const [QUOTE, COMMA, BACKSLASH, BRACKET] = [34, 44, 92, 93];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Checked before parsing: a line of nothing but brackets would exhaust the memory. */
function hasTooManyValues(line: string): boolean {
  if (line.length <= MOST_VALUES) return false;
  let count = 0;
  for (const { mark } of new MarkFinder().marksOf(line)) {
    if (!CLOSING.has(mark)) count += 1;
    if (count > MOST_VALUES) return true;
  }
  return false;
}

/** Finds commas, brackets and braces outside strings, which pieces of the text may cut. */
class MarkFinder {
  #inString = false;
  #isEscaped = false;

  *marksOf(piece: string): Generator<{ readonly mark: number; readonly at: number }> {
    for (let at = 0; at < piece.length; at += 1) {
      const mark = piece.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (mark === BACKSLASH) this.#isEscaped = true;
      else if (mark === QUOTE) this.#inString = !this.#inString;
      else if (!this.#inString && (mark === COMMA || OPENING.has(mark) || CLOSING.has(mark)))
        yield { mark, at };
    }
  }
}

/** Whether it is an object or a list, rather than a value in a form that results have. */
function isNested(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const [[form, given] = ["", undefined], ...others] = Object.entries(value);
  const isForm =
    /^\$(bare|int|real|escaped|blob)$/.test(form) && (typeof given === "string" || form === "$real");
  return !isForm || !others.every(([name]) => name === "bytes" || name === "truncated");
}

/** Makes strings of nested values as they are written: parsing would turn 1.0 into 1, and round long numbers. */
function nestedToText(line: string): string {
  const parts: string[] = [];
  let [depth, start, end] = [0, 0, 0];
  for (const { mark, at } of new MarkFinder().marksOf(line)) {
    if (OPENING.has(mark) && ++depth === 2) start = at;
    if (!CLOSING.has(mark) || --depth !== 1) continue;
    const value = line.slice(start, at + 1);
    parts.push(line.slice(end, start), isNested(JSON.parse(value)) ? JSON.stringify(value) : value);
    end = at + 1;
  }
  return [...parts, line.slice(end)].join("");
}

/** Undefined if the line is not JSON. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(keepDigits(line)) as unknown;
  } catch {
    return undefined;
  }
}

const MAY_LOSE_DIGITS = /\d{16}/;
const LONG_INTEGER = /(?<![\w.+-])-?\d{16,}(?![\d.eE])/g;

/** Protects integers beyond 2^53, which JavaScript would round: their columns decide, as for CSV. */
function keepDigits(line: string): string {
  if (!MAY_LOSE_DIGITS.test(line)) return line;
  let [quote, inString] = [line.indexOf('"'), false];
  return line.replace(LONG_INTEGER, (token, start: number) => {
    for (; quote !== -1 && quote < start; quote = line.indexOf('"', quote + 1)) {
      if (!isEscaped(line, quote)) inString = !inString;
    }
    return inString || Number.isSafeInteger(Number(token)) ? token : `{"$bare":"${token}"}`;
  });
}

function isEscaped(line: string, at: number): boolean {
  let first = at;
  while (line[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}
