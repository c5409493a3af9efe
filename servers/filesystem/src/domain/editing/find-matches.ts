import {
  type CharacterRange,
  Fault,
  findSequence,
  findText,
  type Replacement,
} from "@suite/server-kit/domain";

/** Replacing more in one file is hardly intended. */
const MOST_MATCHES = 100_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Limits for `findLoosely`, which normalizes every line. */
const MOST_LOOSE_LINES = 200_000;
const MOST_LOOSE_CHARACTERS = 4 * 1024 * 1024;

/** All occurrences that do not overlap; if there are too many, one more than the limit. */
export const findExact = (text: string, wanted: string): CharacterRange[] =>
  findText(text, wanted, MOST_MATCHES + 1);

/** Throws if there are too many matches, rather than skip some silently, or if the text would become too large. */
export function requireBounded(count: number, length: number): void {
  if (count <= MOST_MATCHES && length <= MOST_CHARACTERS) return;
  const what = count > MOST_MATCHES ? `${MOST_MATCHES} places to replace` : `${MOST_CHARACTERS} characters`;
  throw new Fault("too_large", `A file would have more than ${what}`, {
    hint: "Nothing was changed. Replace less at a time, or rewrite the file.",
  });
}

export const lengthAfter = (text: string, found: readonly Replacement[]): number =>
  found.reduce((length, { start, end, text: added }) => length + added.length - (end - start), text.length);

interface Line extends CharacterRange {
  /** The line with normalized white space. */
  readonly words: string;
  readonly indent: string;
}

/**
 * Whole lines that are equal except for white space; empty if there are too many to compare. The replacement gets their
 * indentation.
 */
export function findLoosely(text: string, wanted: string, replacement: string): Replacement[] {
  const isEnded = wanted.endsWith("\n");
  const wantedLines = toLines(isEnded ? wanted.slice(0, -1) : wanted);
  if (wantedLines.every(({ words }) => words === "")) return [];
  const lines = toLines(text);
  const starts = findSequence(lines.map(toWords), wantedLines.map(toWords), MOST_MATCHES + 1);
  return starts.flatMap((start) => {
    const found = lines.slice(start, start + wantedLines.length);
    const [first, last] = [found[0], found.at(-1)];
    if (!first || !last) return [];
    const reindented = reindent(replacement, wantedLines, found);
    if (reindented === undefined) return [];
    // The last line may lack the newline that readers take for granted.
    const end = isEnded ? Math.min(last.end + 1, text.length) : last.end;
    return [{ start: first.start, end, text: reindented }];
  });
}

const toWords = ({ words }: Line): string => words;

function toLines(text: string): Line[] {
  let start = 0;
  const lines = text.split("\n", MOST_LOOSE_LINES + 1);
  if (lines.length > MOST_LOOSE_LINES || text.length > MOST_LOOSE_CHARACTERS) return [];
  return lines.map((line) => {
    const from = start;
    start += line.length + 1;
    const words = line.trim().replaceAll(/\s+/g, " ");
    return { start: from, end: from + line.length, words, indent: indentOf(line) };
  });
}

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? "";

/**
 * Maps the indentation of each line to the one found in the file; deeper lines keep their extra indentation. undefined if one
 * indentation maps to two different ones: a line could end up in another block.
 */
function reindent(replacement: string, wanted: readonly Line[], found: readonly Line[]): string | undefined {
  const pairs = new Map<string, string>();
  for (const [index, { words, indent }] of wanted.entries()) {
    if (words === "") continue;
    const to = found[index]?.indent ?? "";
    if ((pairs.get(indent) ?? to) !== to) return undefined;
    pairs.set(indent, to);
  }
  const known = [...pairs.keys()].toSorted((a, b) => b.length - a.length);
  return replacement
    .split("\n")
    .map((line) => {
      const indent = indentOf(line);
      const from = known.find((start) => indent.startsWith(start));
      if (from === undefined || line.trim() === "") return line;
      const to = pairs.get(from) ?? "";
      return to + respell(indent.slice(from.length), to) + line.slice(indent.length);
    })
    .join("\n");
}

/** Converts extra spaces after tabs to tabs. */
function respell(more: string, before: string): string {
  if (!/^\t+$/.test(before) || !/^ +$/.test(more)) return more;
  return "\t".repeat(Math.ceil(more.length / (more.length % 4 === 0 ? 4 : 2)));
}
