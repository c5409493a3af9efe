import { toLine } from "../walking/render-tree.ts";
import type { FoundFile } from "./content-search.ts";
import type { MatchingLine } from "./matching-lines.ts";

/** By file: its path, then its lines with their numbers. `12:` is a match, `11-` stands beside one. */
export const renderMatches = (files: readonly FoundFile[]): string =>
  files
    .map(({ path, matches, count }) => {
      if (matches) return [path, ...renderFile(matches)].join("\n");
      return count === undefined ? path : `${path}: ${count}`;
    })
    .join(files.some(({ matches }) => matches) ? "\n\n" : "\n");

/** A line that stands beside two matches, or is one itself, is shown once. */
function renderFile(matches: readonly MatchingLine[]): string[] {
  const lines = new Map<number, string>();
  for (const { line, before = [], after = [] } of matches) {
    for (const [index, text] of before.entries())
      lines.set(line - before.length + index, `- ${toLine(text)}`);
    for (const [index, text] of after.entries()) lines.set(line + 1 + index, `- ${toLine(text)}`);
  }
  const hasContext = lines.size > 0;
  for (const { line, text } of matches) lines.set(line, `: ${toLine(text)}`);
  const numbers = [...lines.keys()].toSorted((a, b) => a - b);
  return numbers.flatMap((number, index) => {
    const isGap = hasContext && index > 0 && numbers[index - 1] !== number - 1;
    return [...(isGap ? ["--"] : []), `${number}${lines.get(number)}`];
  });
}
