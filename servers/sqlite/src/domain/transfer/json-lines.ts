import { Fault } from "@suite/server-kit/domain";
import type { Param } from "../values/params.ts";
import type { BadRow } from "./field.ts";

export type JsonRecord = { readonly [name: string]: Param };

interface JsonLine {
  readonly record: number;
  readonly values: JsonRecord;
}

/** Characters. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** An object a line, out of text that comes in pieces. Lines with nothing on them are left out. */
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
  const parsed = parseJson(line);
  if (parsed === undefined) yield { record, reason: `Line ${record} is not JSON.` };
  else if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    yield { record, reason: `Line ${record} is not a JSON object.` };
  else yield { record, values: parsed as JsonRecord };
}

/** Undefined where it is none. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(keepDigits(line)) as unknown;
  } catch {
    return undefined;
  }
}

const MAY_LOSE_DIGITS = /\d{16}/;
/** A string that is not closed reaches to the end, or each quote in it would be tried as the start of one. */
const STRING_OR_LONG_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|(?<![\w.+-])-?\d{16,}(?![\d.eE])/gs;

/** JavaScript would round integers beyond 2^53. */
const keepDigits = (line: string): string =>
  MAY_LOSE_DIGITS.test(line)
    ? line.replace(STRING_OR_LONG_INTEGER, (token) =>
        token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `{"$int":"${token}"}`,
      )
    : line;
