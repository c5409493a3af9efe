import { findHeadings, toPaths } from "./outline.ts";

export interface Match {
  readonly line: number;
  /** The position of the match in the page's text, for start_index. */
  readonly start_index: number;
  /** The headings above it, outermost first. */
  readonly section?: string;
  /** The line, with those around it. */
  readonly text: string;
}

const LONGEST_LINE = 500;

export interface Search {
  readonly text: string;
  readonly query: string;
  /** Lines with text around each match. */
  readonly context: number;
  readonly ignoreCase: boolean;
  readonly limit: number;
}

export interface Found {
  readonly total: number;
  readonly matches: readonly Match[];
}

/** The first lines that contain the phrase, and how many there are in all. */
export function searchText({ text, query, context, ignoreCase, limit }: Search): Found {
  const fold = (value: string): string => (ignoreCase ? value.toLowerCase() : value);
  const wanted = fold(query);
  const bareWanted = wanted.replaceAll(MARKS, "");
  const lines = text.split("\n");
  const headings = findHeadings(text);
  const paths = toPaths(headings);
  const matches: Match[] = [];
  let total = 0;
  let next = 0;
  let start = 0;
  let columns: string | undefined;
  for (const [index, line] of lines.entries()) {
    // A row of a table says little without the names of its columns.
    if (!line.startsWith("|")) columns = undefined;
    else if (RULE.test(line)) columns = cutAround(lines[index - 1] ?? "", 0, 0);
    const column = findIn(fold(line), wanted, bareWanted);
    if (column >= 0) total += 1;
    if (column >= 0 && total <= limit) {
      const at = start + column;
      while ((headings[next]?.start ?? Infinity) <= at) next += 1;
      const section = paths[next - 1];
      const before = findTexts(lines, index, -1, context).toReversed();
      matches.push({
        line: index + 1,
        start_index: at,
        ...(section !== undefined && { section }),
        text: [
          ...(columns === undefined || before.includes(columns) ? [] : [columns]),
          ...before,
          cutAround(line, column, query.length),
          // A heading says little without what stands below it.
          ...findTexts(lines, index, 1, /^#{1,6}\s/.test(line) ? Math.max(1, context) : context),
        ].join("\n"),
      });
    }
    start += line.length + 1;
  }
  return { total, matches };
}

/** The next lines with text, in one direction. */
function findTexts(lines: readonly string[], from: number, step: -1 | 1, count: number): string[] {
  const found: string[] = [];
  for (let at = from + step; found.length < count && at >= 0 && at < lines.length; at += step) {
    const line = lines[at] ?? "";
    if (line.trim() !== "" && !RULE.test(line)) found.push(cutAround(line, 0, 0));
  }
  return found;
}

/** The line between the names of a table's columns and its rows. */
const RULE = /^\|(?: *:?-+:? *\|)+$/;

/** Backslashes, emphasis, code, links, subscripts and superscripts. Bounded, so that many brackets do not take long. */
const MARKS =
  /\\(?=[!-/:-@[-`{-~])|(?<!\\)(?:[*`]|\[(?=[^[\]]{0,500}\]\()|\]\((?:[^()]|\([^()]{0,500}\)){0,2000}\)|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)|<\/?su[bp]>)/g;

/** The position of the phrase in the line as written, or without the marks of Markdown in the line, or in both. */
function findIn(line: string, wanted: string, bareWanted: string): number {
  const written = line.indexOf(wanted);
  if (written >= 0 || !/[\\*`[_<]/.test(line)) return written;
  const bare = line.replaceAll(MARKS, "");
  let column = bare.indexOf(wanted);
  if (column < 0 && bareWanted !== "") column = bare.indexOf(bareWanted);
  if (column < 0) return column;
  for (const { index, 0: mark } of line.matchAll(MARKS)) {
    if (index >= column) break;
    column += mark.length;
  }
  return column;
}

/** Cuts long lines to what is around the match. */
function cutAround(line: string, column: number, length: number): string {
  if (line.length <= LONGEST_LINE) return line;
  const from = Math.max(
    0,
    Math.min(column - Math.floor((LONGEST_LINE - length) / 2), line.length - LONGEST_LINE),
  );
  const part = line.slice(from, from + LONGEST_LINE);
  return `${from > 0 ? "…" : ""}${part}${from + LONGEST_LINE < line.length ? "…" : ""}`;
}
