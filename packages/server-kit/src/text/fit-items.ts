import { shownSize } from "./reveal.ts";

/** Characters for the content of a result where the call asks for nothing else, and for that of a prompt. */
export const DEFAULT_BUDGET = 39_000;

export interface FittedItems<T> {
  /** As many as fit, from the first on. None where even the first does not. */
  readonly items: readonly T[];
  readonly rest: readonly T[];
}

/** With the comma that follows it in a list. */
const toJsonSize = (item: unknown): number => shownSize(item) + 1;

/** Splits a list where the budget of characters ends. */
export function fitItems<T>(
  items: readonly T[],
  budget: number,
  toSize: (item: T) => number = toJsonSize,
): FittedItems<T> {
  let used = 0;
  const end = items.findIndex((item) => (used += toSize(item)) > budget);
  return end === -1 ? { items, rest: [] } : { items: items.slice(0, end), rest: items.slice(end) };
}
