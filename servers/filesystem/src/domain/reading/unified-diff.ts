import type { StructuredPatchHunk } from "diff";
import { toOneLine } from "../one-line.ts";

export interface DiffOptions {
  readonly oldName: string;
  readonly newName: string;
  /** Unchanged lines around each change. */
  readonly context?: number;
  /** With more lines added and removed, everything between the equal ends is told as one change. */
  readonly mostEdits?: number;
}

export interface UnifiedDiff {
  /** Empty if there is no difference. */
  readonly text: string;
  readonly addedLines: number;
  readonly removedLines: number;
  /** Whether it is the shortest there is. */
  readonly isMinimal: boolean;
}

/** The search takes their square in time, and holds up everything else: this many are well under a second. */
const MOST_EDITS = 1500;
/** Only for a machine that is far too slow for that: what ends by the clock can end differently next time. */
const TIMEOUT_MS = 3000;
const DEFAULT_CONTEXT = 3;

/** What was changed between two texts. Equal lines at both ends are left out first: most changes are small. */
export async function diffTexts(
  oldText: string,
  newText: string,
  options: DiffOptions,
): Promise<UnifiedDiff> {
  if (oldText === newText) return { text: "", addedLines: 0, removedLines: 0, isMinimal: true };
  const { context = DEFAULT_CONTEXT, mostEdits = MOST_EDITS } = options;
  const middle = findMiddle(splitLines(oldText), splitLines(newText), context);
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", middle.old.join(""), middle.new.join(""), "", "", {
    context,
    maxEditLength: mostEdits,
    timeout: TIMEOUT_MS,
  });
  const hunks = patch?.hunks ?? [toOneHunk(middle)];
  const lines = hunks.flatMap((hunk) => formatHunk(hunk, middle.offset));
  return {
    text: `--- ${toOneLine(options.oldName)}\n+++ ${toOneLine(options.newName)}\n${lines.join("\n")}\n`,
    addedLines: countStarts(hunks, "+"),
    removedLines: countStarts(hunks, "-"),
    isMinimal: patch !== undefined,
  };
}

const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

interface Middle {
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** Lines left out before it, and lines of context at its two ends. */
  readonly offset: number;
  readonly before: number;
  readonly after: number;
}

function findMiddle(oldLines: readonly string[], newLines: readonly string[], context: number): Middle {
  const shorter = Math.min(oldLines.length, newLines.length);
  let same = 0;
  while (same < shorter && oldLines[same] === newLines[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && oldLines.at(-1 - sameAtEnd) === newLines.at(-1 - sameAtEnd))
    sameAtEnd += 1;
  const before = Math.min(same, context);
  const after = Math.min(sameAtEnd, context);
  const offset = same - before;
  const cut = (lines: readonly string[]): string[] => lines.slice(offset, lines.length - sameAtEnd + after);
  return { old: cut(oldLines), new: cut(newLines), offset, before, after };
}

/** Everything between the equal ends, removed and put in anew. */
function toOneHunk({ old, new: added, before, after }: Middle): StructuredPatchHunk {
  const mark = (sign: string, lines: readonly string[]): string[] =>
    lines.flatMap((line) => toHunkLines(sign, line));
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: added.length,
    lines: [
      ...mark(" ", old.slice(0, before)),
      ...mark("-", old.slice(before, old.length - after)),
      ...mark("+", added.slice(before, added.length - after)),
      ...mark(" ", old.slice(old.length - after)),
    ],
  };
}

const toHunkLines = (sign: string, line: string): string[] =>
  line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];

function formatHunk(
  { oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk,
  offset: number,
): string[] {
  // The format's own quirk: a side without lines is said to be after the line before.
  const startOf = (start: number, count: number): number => offset + (count === 0 ? start - 1 : start);
  const place = `-${startOf(oldStart, oldLines)},${oldLines} +${startOf(newStart, newLines)},${newLines}`;
  return [`@@ ${place} @@`, ...lines];
}

const countStarts = (hunks: readonly StructuredPatchHunk[], sign: string): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
