import type { LineMatcher } from "./line-matcher.ts";
import type { LineWindow } from "./line-windows.ts";

export interface MatchingLine {
  readonly line: number;
  /** Where in the line the first match starts, counted from 1. */
  readonly column: number;
  readonly text: string;
  readonly before?: string[];
  readonly after?: string[];
}

/** The lines of a window that match, in order. Lines end with \n or \r\n. */
export function* findMatchingLines(
  window: LineWindow,
  matcher: LineMatcher,
  context: number,
  /** What to give of a line instead of all of it. */
  extract?: (line: string) => string,
): Generator<MatchingLine, void> {
  const { bytes, start, end, column, isCut } = window;
  const isContinued = column > 0;
  // Includes the text around a piece of a line, so that ^ and $ do not match at the piece's ends.
  const [from, to] = [isContinued ? 0 : start, isCut ? bytes.length : end];
  const seen = from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
  if (matcher.mayMatchBytes?.(seen) === false) return;
  const body = decode(seen);
  if (!matcher.mayMatch(body)) return;
  const lead = isContinued ? decode(bytes.subarray(0, start)).length : 0;
  const most = isCut ? body.length - decode(bytes.subarray(end)).length : body.length;
  const around = context > 0 ? new Surroundings(window, body, context) : undefined;
  let [at, line, counted] = [0, window.line, 0];
  while (at < body.length) {
    const candidate = matcher.skipTo ? matcher.skipTo(body, at) : at;
    if (candidate < 0) return;
    const lineStart = candidate === 0 ? 0 : body.lastIndexOf("\n", candidate - 1) + 1;
    const newline = body.indexOf("\n", candidate);
    const lineEnd = newline < 0 ? body.length : newline;
    line += countNewlines(body, counted, lineStart);
    counted = lineStart;
    const text = body.slice(lineStart, lineEnd);
    const isFirst = lineStart === 0;
    const place = matcher.find(text, isFirst ? Math.min(lead, text.length) : 0);
    // A match that starts after the piece belongs to the next one.
    if (place >= 0 && lineStart + place <= most)
      yield {
        line,
        column: place + 1 + (isFirst ? column - lead : 0),
        text: extract ? cutLine(extract(text)) : cutLine(text, place),
        ...around?.of(lineStart, lineEnd),
      };
    at = lineEnd + 1;
  }
}

function decode(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The lines around a match, including the window's context. */
class Surroundings {
  readonly #whole: string;
  readonly #offset: number;
  readonly #count: number;

  constructor({ bytes, start, end, column, isCut }: LineWindow, body: string, count: number) {
    // Around a piece of a line is the same line, which is already in the body.
    const head = column > 0 ? "" : decode(bytes.subarray(0, start));
    this.#whole = head + body + (isCut ? "" : decode(bytes.subarray(end)));
    this.#offset = head.length;
    this.#count = count;
  }

  /** The context of the line from `start` to `end` in the body. */
  of(start: number, end: number): Pick<MatchingLine, "before" | "after"> {
    const before = this.#before(this.#offset + start);
    const after = this.#after(this.#offset + end + 1);
    return { ...(before.length > 0 && { before }), ...(after.length > 0 && { after }) };
  }

  #before(start: number): string[] {
    const lines: string[] = [];
    let end = start;
    while (end > 0 && lines.length < this.#count) {
      const from = end === 1 ? 0 : this.#whole.lastIndexOf("\n", end - 2) + 1;
      lines.unshift(cutLine(this.#whole.slice(from, end - 1)));
      end = from;
    }
    return lines;
  }

  #after(start: number): string[] {
    const lines: string[] = [];
    let from = start;
    while (from < this.#whole.length && lines.length < this.#count) {
      const newline = this.#whole.indexOf("\n", from);
      const end = newline < 0 ? this.#whole.length : newline;
      lines.push(cutLine(this.#whole.slice(from, end)));
      from = end + 1;
    }
    return lines;
  }
}

/** Limit for a line in a result: a minified file must not fill it. */
const MOST_CHARACTERS = 400;
/** How much of that may precede the match. */
const LEAD = 100;
const MARK = "…";

/** The line, or, if it is long, the part around `place`. */
function cutLine(line: string, place = 0): string {
  if (line.length <= MOST_CHARACTERS) return line;
  const from = toWhole(line, Math.max(0, Math.min(place - LEAD, line.length - MOST_CHARACTERS)));
  const to = toWhole(line, Math.min(line.length, from + MOST_CHARACTERS));
  return `${from > 0 ? MARK : ""}${line.slice(from, to)}${to < line.length ? MARK : ""}`;
}

/** Moves a position out of a surrogate pair. */
const toWhole = (line: string, at: number): number => (isSecondHalf(line.charCodeAt(at)) ? at - 1 : at);
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
