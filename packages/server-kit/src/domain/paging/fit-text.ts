import { shownSize } from "../text/reveal.ts";

/**
 * As much of a text from `start` as fits into the budget as JSON with hidden characters revealed, and at most `longest`
 * characters. At least one character; surrogate pairs are not split.
 */
export function fitText(text: string, start: number, budget: number, longest: number = budget): string {
  let length = Math.min(text.length - start, budget, longest);
  while (length > 1) {
    const size = shownSize(text.slice(start, start + length));
    if (size <= budget) break;
    length = Math.floor(length * Math.min(0.95, budget / size));
  }
  length = Math.max(1, length);
  const isSplit = start + length < text.length && isHighSurrogate(text.charCodeAt(start + length - 1));
  if (isSplit) length += length > 1 ? -1 : 1;
  return text.slice(start, start + length);
}

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff;
