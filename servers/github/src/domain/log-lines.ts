import { stripTerminal } from "@suite/server-kit/domain";

export interface LogQuery {
  /** Only lines with this text in them, whatever the case. */
  readonly grep?: string | undefined;
  /** Lines around a match. */
  readonly context?: number | undefined;
  readonly tail?: number | undefined;
}

export interface LogPart {
  readonly lines: readonly string[];
  readonly total: number;
  readonly matches?: number;
}

/** Each line starts with its time to seven digits; the colours of a terminal are not text. */
const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;

/** The lines of a log that were asked for, each with its number where they were picked out. */
export function pickLines(log: string, { grep, context = 2, tail }: LogQuery): LogPart {
  const all = stripTerminal(log).split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const lines = all.map((line) => line.replace(TIME, ""));
  if (grep === undefined) {
    return { lines: tail === undefined ? lines : lines.slice(-tail), total: lines.length };
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
    matches: matches.length,
  };
}

export const CUT = "… (earlier lines left out)";

/** The last lines that fit. */
export function fitTail(header: string, lines: readonly string[], room: number): string {
  let left = room - header.length - CUT.length - 20;
  let start = lines.length;
  while (start > 0) {
    left -= JSON.stringify(lines[start - 1]).length + 1;
    if (left < 0) break;
    start -= 1;
  }
  return [header, ...(start > 0 ? [CUT] : []), ...lines.slice(start)].join("\n");
}
