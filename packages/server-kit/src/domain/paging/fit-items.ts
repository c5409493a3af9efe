import { shownSize } from "../text/reveal.ts";

/** Default limit in characters for the content of a result, and the limit for a prompt. */
export const DEFAULT_BUDGET = 39_000;

/** A list, split where the budget ends. */
export interface FittedItems<T> {
  /** The first items that fit; empty if not even the first does. */
  readonly items: readonly T[];
  readonly rest: readonly T[];
}

/** Includes the comma that follows an item in a list. */
const toJsonSize = (item: unknown): number => shownSize(item) + 1;

/** Splits a list where the budget, in characters, is used up. */
export function fitItems<T>(
  items: readonly T[],
  budget: number,
  toSize: (item: T) => number = toJsonSize,
): FittedItems<T> {
  let used = 0;
  const end = items.findIndex((item) => (used += toSize(item)) > budget);
  return end === -1 ? { items, rest: [] } : { items: items.slice(0, end), rest: items.slice(end) };
}
