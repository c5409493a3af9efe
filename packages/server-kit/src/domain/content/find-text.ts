import type { CharacterRange } from "./line-text.ts";

/** Longer texts are searched with `findSequence`. */
const LONGEST_SIMPLE = 100;

/** The first `most` occurrences that do not overlap. */
export function findText(text: string, wanted: string, most: number): CharacterRange[] {
  const find = wanted.length > LONGEST_SIMPLE ? findSequence : findSimple;
  return find(text, wanted, most).map((start) => ({ start, end: start + wanted.length }));
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
  const [again] = findText(text.slice(start + 1, end + wanted.length - 1), wanted, 1);
  return again && { start: start + 1 + again.start, end: start + 1 + again.end };
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
