import { fitItems, fitText, shownSize, stripTerminal } from "@suite/server-kit/domain";

export interface LogQuery {
  /** Only lines with this text, ignoring case. */
  readonly grep?: string | undefined;
  /** Lines around a match, or before an error above the tail. */
  readonly context?: number | undefined;
  readonly tail?: number | undefined;
}

export interface LogPart {
  readonly lines: readonly string[];
  readonly total: number;
  /** The first error lines above a tail, and what leads to them, with their numbers. */
  readonly errors?: readonly string[];
  readonly errorsTotal?: number;
  /** The log was too large, so only its end was read. */
  readonly isEnd: boolean;
  readonly matches?: number;
}

/** At the start of each line. */
const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;

/** Marks a log of which only the end was read. It cannot be mistaken for a log's own line: those start with a time. */
export const ONLY_END = "… (only the end of this log was read)\n";

const ERROR = "##[error]";
const MOST_ERRORS = 20;
/** An error itself often says no more than that a command has failed. */
const BEFORE_ERROR = 10;

/** Of lines with numbers. */
export const countErrors = (numbered: readonly string[]): number =>
  numbered.filter((line) => line.startsWith(ERROR, line.indexOf(" ") + 1)).length;

/** The wanted lines of a log. Lines picked by `grep` have their numbers. */
export function pickLines(log: string, { grep, context, tail }: LogQuery): LogPart {
  const isEnd = log.startsWith(ONLY_END);
  const all = stripTerminal(isEnd ? log.slice(ONLY_END.length) : log).split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const lines = all.map((line) => line.replace(TIME, ""));
  if (grep === undefined) {
    const start = tail === undefined ? 0 : Math.max(0, lines.length - tail);
    const errors = [...lines.keys()].filter((at) => at < start && lines[at]?.startsWith(ERROR));
    return {
      lines: lines.slice(start),
      total: lines.length,
      isEnd,
      ...(errors.length > 0 && {
        errors: pickErrors(lines, errors.slice(0, MOST_ERRORS), context),
        errorsTotal: errors.length,
      }),
    };
  }
  const wanted = grep.toLowerCase();
  const matches = [...lines.keys()].filter((at) => (lines[at] ?? "").toLowerCase().includes(wanted));
  const around = context ?? 2;
  const picked = pickNear(lines, matches, around, around);
  return {
    lines: tail === undefined ? picked : picked.slice(-tail),
    total: lines.length,
    isEnd,
    matches: matches.length,
  };
}

/** With `context` lines before each; by default with some before the first, which is mostly the cause of the others. */
const pickErrors = (
  lines: readonly string[],
  places: readonly number[],
  context: number | undefined,
): readonly string[] =>
  context === undefined
    ? [...pickNear(lines, places.slice(0, 1), BEFORE_ERROR, 0), ...pickNear(lines, places.slice(1), 0, 0)]
    : pickNear(lines, places, context, 0);

/** Lines and so many others before and after each, with their numbers. */
function pickNear(
  lines: readonly string[],
  places: readonly number[],
  before: number,
  after: number,
): readonly string[] {
  const shown = new Set(
    places.flatMap((at) => Array.from({ length: before + 1 + after }, (_, near) => at - before + near)),
  );
  return [...lines.keys()].filter((at) => shown.has(at)).map((at) => `${at + 1}: ${lines[at] ?? ""}`);
}

const sizeOf = (line: string): number => shownSize(line) + 1;
const cutLine = (line: string, longest: number): string =>
  shownSize(line) > longest ? `${fitText(line, 0, longest)}…` : line;

/** The first lines that fit, cut as in `fitTail`. */
export const fitHead = (lines: readonly string[], room: number): readonly string[] =>
  fitItems(
    lines.map((line) => cutLine(line, Math.floor(room / 2))),
    room,
    sizeOf,
  ).items;

const CUT = "… (earlier lines left out)";

/** The last lines that fit. A line that would take more than half of the room is cut. */
export function fitTail(
  header: string,
  lines: readonly string[],
  room: number,
): { readonly text: string; readonly isCut: boolean } {
  let left = room - shownSize(header) - CUT.length - 20;
  const longest = Math.floor(left / 2);
  const shown: string[] = [];
  let isCut = false;
  for (const line of lines.toReversed()) {
    const fitted = cutLine(line, longest);
    left -= sizeOf(fitted);
    isCut ||= fitted !== line || left < 0;
    if (left < 0) break;
    shown.push(fitted);
  }
  const parts = [header, ...(shown.length < lines.length ? [CUT] : []), ...shown.toReversed()];
  return { text: parts.join("\n"), isCut };
}
