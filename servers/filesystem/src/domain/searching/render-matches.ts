import { toLine } from "../walking/render-tree.ts";
import type { ContentMatch } from "./content-search.ts";

/** Grouped by file: its path, then its lines with their numbers. `12:` is a match, `11-` stands beside one. */
export function renderMatches(matches: readonly ContentMatch[]): string {
  const files = new Map<string, ContentMatch[]>();
  for (const match of matches) {
    const found = files.get(match.path);
    if (found) found.push(match);
    else files.set(match.path, [match]);
  }
  return Array.from(files, ([path, found]) => [toLine(path), ...renderFile(found)].join("\n")).join("\n\n");
}

/** A line that stands beside two matches, or is one itself, is shown once. */
function renderFile(matches: readonly ContentMatch[]): string[] {
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
