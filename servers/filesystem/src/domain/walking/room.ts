import { DEFAULT_BUDGET, quoteShown, shownSize } from "@suite/server-kit/domain";

/** How much of a result's budget is left: a list ends where the next entry would not fit. */
export class Room {
  #left: number;
  #isEmpty = true;

  /** `heading`: a path that stands above the list, in both views. */
  constructor(budget: number = DEFAULT_BUDGET, heading = "") {
    this.#left = budget - Math.max(shownSize(heading), quoteShown(heading).length);
  }

  /** Whether an entry fits; the first one always does. `besides`: what its other fields take. */
  take(entry: unknown, besides = 0): boolean {
    const size = shownSize(entry) + 1 + besides;
    if (size > this.#left && !this.#isEmpty) return false;
    this.#left -= size;
    this.#isEmpty = false;
    return true;
  }
}
