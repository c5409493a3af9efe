import { shownSize } from "@suite/server-kit/domain";

/** What a result of one call may hold where nobody says otherwise. */
const DEFAULT_BUDGET = 39_000;

/** How much of a result's budget is left: a list ends where the next entry would not fit. */
export class Room {
  #left: number;
  #isEmpty = true;

  constructor(budget: number = DEFAULT_BUDGET) {
    this.#left = budget;
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
