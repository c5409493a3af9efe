import { Fault } from "@suite/server-kit/domain";
import type { Param } from "../values/params.ts";
import { type BadRow, MOST_FIELDS } from "./field.ts";

export type JsonRecord = { readonly [name: string]: Param };

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
    yield { record, reason: `Line ${record} has more values than a row can have.` };
    return;
  }
  const parsed = parseJson(line);
  if (parsed === undefined) yield { record, reason: `Line ${record} is not JSON.` };
  else if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    yield { record, reason: `Line ${record} is not a JSON object.` };
  else yield { record, values: parsed as JsonRecord };
}

/** One for each value, and another for a form such as `{"$int": "…"}`. */
const MOST_OPENINGS = 2 * MOST_FIELDS;
const [QUOTE, COMMA, BRACKET, BACKSLASH, BRACE] = [34, 44, 91, 92, 123];

/** Checked before parsing: a line of nothing but brackets would exhaust the memory. */
function hasTooManyValues(line: string): boolean {
  if (line.length <= MOST_OPENINGS) return false;
  let [openings, inString] = [0, false];
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charCodeAt(at);
    if (character === BACKSLASH) at += 1;
    else if (character === QUOTE) inString = !inString;
    else if (!inString && (character === COMMA || character === BRACKET || character === BRACE))
      openings += 1;
  }
  return openings > MOST_OPENINGS;
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

/** Protects integers beyond 2^53, which JavaScript would round. */
function keepDigits(line: string): string {
  if (!MAY_LOSE_DIGITS.test(line)) return line;
  let [quote, inString] = [line.indexOf('"'), false];
  return line.replace(LONG_INTEGER, (token, start: number) => {
    for (; quote !== -1 && quote < start; quote = line.indexOf('"', quote + 1)) {
      if (!isEscaped(line, quote)) inString = !inString;
    }
    return inString || Number.isSafeInteger(Number(token)) ? token : `{"$int":"${token}"}`;
  });
}

function isEscaped(line: string, at: number): boolean {
  let first = at;
  while (line[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}
