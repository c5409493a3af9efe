/** Of a line, in a result: a minified file must not fill it. */
const MOST_CHARACTERS = 400;
/** How much of that may precede the match. */
const LEAD = 100;
const MARK = "…";

/** A line as it is, or if it is long, the part of it around a place. */
export function cutLine(line: string, place = 0): string {
  if (line.length <= MOST_CHARACTERS) return line;
  const from = toWhole(line, Math.max(0, Math.min(place - LEAD, line.length - MOST_CHARACTERS)));
  const to = toWhole(line, Math.min(line.length, from + MOST_CHARACTERS));
  return `${from > 0 ? MARK : ""}${line.slice(from, to)}${to < line.length ? MARK : ""}`;
}

/** Not between the two halves of a character. */
const toWhole = (line: string, at: number): number => (isSecondHalf(line.charCodeAt(at)) ? at - 1 : at);
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
