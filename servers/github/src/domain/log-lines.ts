import { fitItems, fitText, shownSize, stripTerminal } from "@suite/server-kit/domain";

export interface LogQuery {
  /** Only lines with this text, ignoring case. */
  readonly grep?: string | undefined;
  /** Lines around a match. */
  readonly context?: number | undefined;
  readonly tail?: number | undefined;
}

export interface LogPart {
  readonly lines: readonly string[];
  readonly total: number;
  /** Error lines above a tail, with their numbers: the first of them, which are mostly the cause of the others. */
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

/** The wanted lines of a log. Lines picked by `grep` have their numbers. */
export function pickLines(log: string, { grep, context = 2, tail }: LogQuery): LogPart {
  const isEnd = log.startsWith(ONLY_END);
  const all = stripTerminal(isEnd ? log.slice(ONLY_END.length) : log).split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const lines = all.map((line) => line.replace(TIME, ""));
  if (grep === undefined) {
    const start = tail === undefined ? 0 : Math.max(0, lines.length - tail);
    const errors = lines
      .slice(0, start)
      .flatMap((line, at) => (line.startsWith(ERROR) ? [`${at + 1}: ${line}`] : []));
    return {
      lines: lines.slice(start),
      total: lines.length,
      isEnd,
      ...(errors.length > 0 && { errors: errors.slice(0, MOST_ERRORS), errorsTotal: errors.length }),
    };
  }
  const wanted = grep.toLowerCase();
  const matches = [...lines.keys()].filter((at) => (lines[at] ?? "").toLowerCase().includes(wanted));
  const shown = new Set(
    matches.flatMap((at) => Array.from({ length: 2 * context + 1 }, (_, near) => at - context + near)),
  );
  const picked = [...lines.keys()].filter((at) => shown.has(at)).map((at) => `${at + 1}: ${lines[at] ?? ""}`);
  return {
    lines: tail === undefined ? picked : picked.slice(-tail),
    total: lines.length,
    isEnd,
    matches: matches.length,
  };
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
