import { Fault } from "@suite/server-kit/domain";
import { type BadRow, type Field, MOST_FIELDS } from "./field.ts";

export type JsonRecord = { readonly [name: string]: Field };

interface JsonLine {
  readonly record: number;
  readonly values: JsonRecord;
}

/** In characters. */
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

function* parseLine(line: string, record: number): Generator<JsonLine | BadRow> {
  if (line.trim() === "") return;
  if (hasTooManyValues(line)) {
    yield { record, reason: `Line ${record} has more than ${MOST_VALUES} values.` };
    return;
  }
  const parsed = parseJson(line);
  const array = record === 1 && line.trimStart().startsWith("[") && { hint: NOT_AN_ARRAY };
  if (parsed === undefined) yield { record, reason: `Line ${record} is not JSON.`, ...array };
  else if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    yield { record, reason: `Line ${record} is not a JSON object.`, ...array };
  else if (Object.keys(parsed).length > MOST_FIELDS)
    yield { record, reason: `Line ${record} has more values than a row can have.` };
  else {
    const isFlat = !Object.values(parsed).some(isNested);
    yield { record, values: (isFlat ? parsed : parseJson(nestedToText(line))) as JsonRecord };
  }
}

const NOT_AN_ARRAY = "JSON lines have one object a line: write the items of the array that way.";

/** With those of nested objects and arrays. */
const MOST_VALUES = 1_000_000;
const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Checked before parsing: a line of nothing but brackets would exhaust the memory. */
function hasTooManyValues(line: string): boolean {
  if (line.length <= MOST_VALUES) return false;
  let count = 0;
  for (const { mark } of marksOf(line)) {
    if (!CLOSING.has(mark)) count += 1;
    if (count > MOST_VALUES) return true;
  }
  return false;
}

/** Commas, brackets and braces outside strings. */
function* marksOf(line: string): Generator<{ readonly mark: number; readonly at: number }> {
  let inString = false;
  for (let at = 0; at < line.length; at += 1) {
    const mark = line.charCodeAt(at);
    if (mark === BACKSLASH) at += 1;
    else if (mark === QUOTE) inString = !inString;
    else if (!inString && (mark === COMMA || OPENING.has(mark) || CLOSING.has(mark))) yield { mark, at };
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
  for (const { mark, at } of marksOf(line)) {
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
