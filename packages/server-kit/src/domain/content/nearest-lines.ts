import { Fault } from "../errors/fault.ts";
import { renderParts, untrusted } from "../text/fence.ts";

interface MissingText {
  /** The text of the file, its lines ending with \n. */
  readonly text: string;
  /** Whether it was in the file before the first edit of this call. */
  readonly wasThere: boolean;
  readonly wanted: string;
  readonly path: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** For an edit whose old text is not in the file: shows the lines that are most like it. */
export function toMissingText(message: string, missing: MissingText): Fault {
  const { text, wasThere, wanted, path, details } = missing;
  if (wasThere) {
    return new Fault("not_found", message, {
      hint: "Nothing was changed. It was there until an earlier edit of this call replaced it: join the two edits into one.",
      ...(details && { details }),
    });
  }
  const nearest = findNearest(text, wanted);
  const facts = { ...details, nearest: nearest.map(({ line }) => line) };
  if (nearest.length === 0) {
    return new Fault("not_found", message, {
      hint: "Nothing was changed. Read the file again, and copy from it.",
      details: facts,
    });
  }
  // Text from the file is fenced as untrusted.
  const shown = untrusted(nearest.map(toNumberedLines).join("\n…\n"), path);
  return new Fault("not_found", renderParts([`${message}. Nearest to it:`, shown]), {
    hint: "Nothing was changed. Copy the text from there.",
    details: facts,
  });
}

const toNumberedLines = ({ line, lines }: Candidate): string =>
  lines.map((text, index) => `${line + index}: ${text}`).join("\n");

/** Lines that resemble the wanted text. */
interface Candidate {
  /** Number of the first line, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
  /** From 0 to 1. */
  readonly likeness: number;
}

const MOST_CANDIDATES = 3;
const LEAST_LIKENESS = 0.4;
/** Number of start lines that are compared in full. */
const MOST_STARTS = 40;
const MOST_LINES = 50_000;
/** Limit for the text: comparing this much takes a good part of a second. */
const MOST_CHARACTERS = 2 * 1024 * 1024;
/** Limit for the wanted text: if this many lines are similar, the others will be. */
const MOST_WANTED_LINES = 100;
const MOST_SHOWN_LINES = 12;
const LONGEST_LINE = 400;

/** The places in a text that are most similar to the wanted one. */
function findNearest(text: string, wanted: string): Candidate[] {
  const lines = text.slice(0, MOST_CHARACTERS).split("\n", MOST_LINES);
  const wantedLines = wanted.replace(/\n$/, "").split("\n", MOST_WANTED_LINES);
  const anchor = wantedLines.findIndex((line) => line.trim() !== "");
  if (anchor < 0) return [];
  const wantedPairs = wantedLines.map(toPairs);
  const candidates = findStarts(lines, wantedPairs[anchor] ?? new Map<string, number>(), anchor)
    .map((start) => toCandidate(lines, start, wantedPairs))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness);
  return withoutOverlaps(candidates).slice(0, MOST_CANDIDATES);
}

/** Start lines at which the first non-empty wanted line fits best. */
function findStarts(lines: readonly string[], anchor: Pairs, offset: number): number[] {
  return lines
    .map((line, index) => ({ start: index - offset, likeness: compare(toPairs(line), anchor) }))
    .filter(({ start, likeness }) => start >= 0 && likeness > 0)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MOST_STARTS)
    .map(({ start }) => start);
}

function toCandidate(lines: readonly string[], start: number, wanted: readonly Pairs[]): Candidate {
  const there = lines.slice(start, start + wanted.length);
  const likeness = wanted.map((pairs, index) => compare(toPairs(there[index] ?? ""), pairs));
  return {
    line: start + 1,
    lines: there.slice(0, MOST_SHOWN_LINES).map((line) => line.slice(0, LONGEST_LINE)),
    likeness: likeness.reduce((sum, value) => sum + value, 0) / wanted.length,
  };
}

function withoutOverlaps(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates) {
    const isApart = kept.every(({ line, lines }) => Math.abs(line - candidate.line) >= lines.length);
    if (isApart) kept.push(candidate);
  }
  return kept;
}

/** Pairs of neighbouring characters, with their number. */
type Pairs = ReadonlyMap<string, number>;

function toPairs(line: string): Pairs {
  const text = line.trim().slice(0, LONGEST_LINE);
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The share of pairs that two lines have in common (Dice coefficient). Two empty lines are equal. */
function compare(a: Pairs, b: Pairs): number {
  const [sizeA, sizeB] = [sizeOf(a), sizeOf(b)];
  if (sizeA + sizeB === 0) return 1;
  let common = 0;
  for (const [pair, count] of a) common += Math.min(count, b.get(pair) ?? 0);
  return (2 * common) / (sizeA + sizeB);
}

const sizeOf = (pairs: Pairs): number => [...pairs.values()].reduce((sum, count) => sum + count, 0);
