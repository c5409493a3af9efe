import { toVisibleLine } from "./reveal.ts";

/** For `diffTexts`: the names in the head of the diff, and its limits. */
export interface DiffOptions {
  readonly oldName: string;
  readonly newName: string;
  /** Unchanged lines around each change. */
  readonly context?: number;
  /** With more added and removed lines than this, everything between the equal ends becomes one change. */
  readonly mostEdits?: number;
}

/** A diff as `diff -u` writes it. */
export interface UnifiedDiff {
  /** Empty if there is no difference. */
  readonly text: string;
  readonly addedLines: number;
  readonly removedLines: number;
  /** Whether no shorter diff exists. */
  readonly isMinimal: boolean;
}

/** The search is quadratic in time and memory, and synchronous: with this many edits it takes well under a second. */
const MOST_EDITS = 1500;
/** Limit of compared lines, for texts with long equal stretches on many diagonals. */
const MOST_STEPS = 50_000_000;
const DEFAULT_CONTEXT = 3;

/** Lines of the old text, and the lines of the new one that replace them. */
interface LineChange {
  readonly old: readonly [start: number, end: number];
  readonly new: readonly [start: number, end: number];
}

/** A unified diff of two texts. Equal lines at both ends are skipped first: most changes are small. */
export function diffTexts(oldText: string, newText: string, options: DiffOptions): UnifiedDiff {
  if (oldText === newText) return { text: "", addedLines: 0, removedLines: 0, isMinimal: true };
  const { context = DEFAULT_CONTEXT, mostEdits = MOST_EDITS } = options;
  const [oldLines, newLines] = [splitLines(oldText), splitLines(newText)];
  const middle = findMiddle(oldLines, newLines);
  const found = findChanges(oldLines.slice(...middle.old), newLines.slice(...middle.new), mostEdits);
  const changes = found?.map((change) => shift(change, middle.old[0])) ?? [middle];
  const hunks = groupChanges(changes, 2 * context);
  const [oldName, newName] = [options.oldName, options.newName].map(toVisibleLine);
  return {
    text: `--- ${oldName}\n+++ ${newName}\n${hunks.map((hunk) => formatHunk(hunk, oldLines, newLines, context)).join("")}`,
    addedLines: changes.reduce((sum, { new: [start, end] }) => sum + end - start, 0),
    removedLines: changes.reduce((sum, { old: [start, end] }) => sum + end - start, 0),
    isMinimal: found !== undefined,
  };
}

/** Each line includes its line ending. */
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** Everything between the equal lines at both ends. */
function findMiddle(oldLines: readonly string[], newLines: readonly string[]): LineChange {
  const shorter = Math.min(oldLines.length, newLines.length);
  let same = 0;
  while (same < shorter && oldLines[same] === newLines[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && oldLines.at(-1 - sameAtEnd) === newLines.at(-1 - sameAtEnd))
    sameAtEnd += 1;
  return { old: [same, oldLines.length - sameAtEnd], new: [same, newLines.length - sameAtEnd] };
}

const shift = ({ old, new: now }: LineChange, by: number): LineChange => ({
  old: [old[0] + by, old[1] + by],
  new: [now[0] + by, now[1] + by],
});

/** The furthest old line reached on each diagonal (old line number minus new one) with this many edits. */
interface EditRound {
  readonly edits: number;
  readonly reached: Int32Array;
}

/** The smallest set of removed and added lines (Myers, 1986). undefined if larger than `most`, or if the search takes too long. */
function findChanges(
  oldLines: readonly string[],
  newLines: readonly string[],
  most: number,
): readonly LineChange[] | undefined {
  const known = new Map<string, number>();
  const [old, now] = [toNumbers(oldLines, known), toNumbers(newLines, known)];
  const rounds: EditRound[] = [];
  let steps = 0;
  for (let edits = 0; edits <= most && steps <= MOST_STEPS; edits += 1) {
    const before = rounds.at(-1);
    const reached = new Int32Array(2 * edits + 1);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const start = before === undefined ? 0 : stepOnto(diagonal, before).to;
      let at = start;
      while (at < old.length && at - diagonal < now.length && old[at] === now[at - diagonal]) at += 1;
      if (at >= old.length && at - diagonal >= now.length) return walkBack(rounds, diagonal);
      reached[diagonal + edits] = at;
      steps += at - start + 1;
    }
    rounds.push({ edits, reached });
  }
  return undefined;
}

/** Maps equal lines to equal numbers, which are faster to compare. */
function toNumbers(lines: readonly string[], known: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const number = known.get(line) ?? known.size;
    known.set(line, number);
    return number;
  });
}

/** One more edit, from the neighbouring diagonal that reaches further: adding a line from above, removing one from below. */
function stepOnto(
  diagonal: number,
  { edits, reached }: EditRound,
): { readonly isAdded: boolean; readonly from: number; readonly to: number } {
  const above = reached[diagonal + 1 + edits] ?? -1;
  const below = reached[diagonal - 1 + edits] ?? -1;
  return above > below
    ? { isAdded: true, from: above, to: above }
    : { isAdded: false, from: below, to: below + 1 };
}

function walkBack(rounds: readonly EditRound[], last: number): readonly LineChange[] {
  const edits: LineChange[] = [];
  let diagonal = last;
  for (const round of rounds.toReversed()) {
    const { isAdded, from, to } = stepOnto(diagonal, round);
    diagonal += isAdded ? 1 : -1;
    const start = from - diagonal;
    edits.push({ old: [from, to], new: [start, isAdded ? start + 1 : start] });
  }
  return groupChanges(edits.toReversed(), 0).map(toOne);
}

/** Groups changes with at most `between` equal lines between them. */
function groupChanges(changes: readonly LineChange[], between: number): readonly (readonly LineChange[])[] {
  const groups: LineChange[][] = [];
  let end = -Infinity;
  for (const change of changes) {
    if (change.old[0] - end > between) groups.push([]);
    groups.at(-1)?.push(change);
    [, end] = change.old;
  }
  return groups;
}

/** From the start of the first to the end of the last. */
const toOne = (group: readonly LineChange[]): LineChange => ({
  old: [group[0]?.old[0] ?? 0, group.at(-1)?.old[1] ?? 0],
  new: [group[0]?.new[0] ?? 0, group.at(-1)?.new[1] ?? 0],
});

function formatHunk(
  hunk: readonly LineChange[],
  oldLines: readonly string[],
  newLines: readonly string[],
  context: number,
): string {
  const { old, new: now } = toOne(hunk);
  const before = Math.min(context, old[0]);
  const after = Math.min(context, oldLines.length - old[1]);
  const rangeOf = ([start, end]: LineChange["old"]): string => {
    const count = end + after - (start - before);
    // In this format, an empty range has the number of the line before it.
    return `${start - before + (count === 0 ? 0 : 1)},${count}`;
  };
  let text = "";
  let at = old[0] - before;
  for (const change of hunk) {
    text += mark(" ", oldLines.slice(at, change.old[0]));
    text += mark("-", oldLines.slice(...change.old)) + mark("+", newLines.slice(...change.new));
    [, at] = change.old;
  }
  return `@@ -${rangeOf(old)} +${rangeOf(now)} @@\n${text}${mark(" ", oldLines.slice(at, at + after))}`;
}

const mark = (sign: string, lines: readonly string[]): string =>
  lines
    .map((line) => (line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`))
    .join("");
