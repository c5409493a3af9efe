import { DEFAULT_BUDGET, quoteShown, shownSize } from "@suite/server-kit/domain";

/** The rest of a result's budget: a list ends before the entry that would not fit. */
export class Room {
  #left: number;
  #isEmpty = true;

  /** `heading`: a path above the list, in text and in structured content. */
  constructor(budget: number = DEFAULT_BUDGET, heading = "") {
    this.#left = budget - Math.max(shownSize(heading), quoteShown(heading).length);
  }

  /** Whether an entry fits; the first one always does. `besides`: the size of its other fields. */
  take(entry: unknown, besides = 0): boolean {
    const size = shownSize(entry) + 1 + besides;
    if (size > this.#left && !this.#isEmpty) return false;
    this.#left -= size;
    this.#isEmpty = false;
    return true;
  }
}
