import { type CharacterRange, Fault, type Replacement } from "@suite/server-kit/domain";

/** Replacing more in one file is hardly intended. */
const MOST_MATCHES = 100_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Longer texts are searched with `findSequence`, which is linear even in repetitive text. */
const LONGEST_SIMPLE = 100;
/** Limits for `findLoosely`, which normalizes every line. */
const MOST_LOOSE_LINES = 200_000;
const MOST_LOOSE_CHARACTERS = 4 * 1024 * 1024;

/** All occurrences that do not overlap; if there are too many, one more than the limit. */
export function findExact(text: string, wanted: string): CharacterRange[] {
  const starts =
    wanted.length > LONGEST_SIMPLE
      ? findSequence(text, wanted, MOST_MATCHES + 1)
      : findSimple(text, wanted, MOST_MATCHES + 1);
  return starts.map((start) => ({ start, end: start + wanted.length }));
}

function findSimple(text: string, wanted: string, most: number): number[] {
  const found: number[] = [];
  let at = text.indexOf(wanted);
  while (at >= 0 && found.length < most) {
    found.push(at);
    at = text.indexOf(wanted, at + wanted.length);
  }
  return found;
}

/** Another occurrence that overlaps the only one found: then it is ambiguous which one is meant. */
export function findOverlapping(text: string, { start, end }: CharacterRange): CharacterRange | undefined {
  const wanted = text.slice(start, end);
  const again = text.slice(start + 1, end + wanted.length - 1).indexOf(wanted);
  return again < 0 ? undefined : { start: start + 1 + again, end: end + 1 + again };
}

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

/**
 * The first `most` occurrences of a sequence that do not overlap. Always linear (Knuth-Morris-Pratt): the platform's own search
 * takes the product of both lengths in repetitive text.
 */
export function findSequence<T>(whole: ArrayLike<T>, part: ArrayLike<T>, most: number): number[] {
  const found: number[] = [];
  if (part.length === 0 || part.length > whole.length) return found;
  const retreats = toRetreats(part);
  let matched = 0;
  for (let at = 0; at < whole.length && found.length < most; at += 1) {
    matched = advance(part, retreats, matched, whole[at] as T);
    if (matched < part.length) continue;
    found.push(at + 1 - matched);
    matched = 0;
  }
  return found;
}

/** For each prefix: the length of its longest proper prefix that is also its suffix. */
function toRetreats<T>(part: ArrayLike<T>): Int32Array {
  const retreats = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    matched = advance(part, retreats, matched, part[at] as T);
    retreats[at] = matched;
  }
  return retreats;
}

/** The length of the match after one more item. */
function advance<T>(part: ArrayLike<T>, retreats: Int32Array, matched: number, item: T): number {
  let length = matched;
  while (length > 0 && part[length] !== item) length = retreats[length - 1] as number;
  return part[length] === item ? length + 1 : 0;
}
