import { DEFAULT_BUDGET, quoteShown, shownSize } from "@suite/server-kit/domain";

/** The rest of a result's budget in each of its views: a list ends before the entry that would not fit into both. */
export class Room {
  #structured: number;
  #text: number;
  #isEmpty = true;

  /** `heading`: a path above the list, in both views. */
  constructor(budget: number = DEFAULT_BUDGET, heading = "") {
    this.#structured = budget - shownSize(heading);
    this.#text = budget - quoteShown(heading).length;
  }

  /** Whether an entry fits; the first one always does. `besides`: the size of its other fields; `inText`: of its other text. */
  take(entry: unknown, besides = 0, inText: number = besides): boolean {
    const size = shownSize(entry) + 1;
    const structured = this.#structured - size - besides;
    const text = this.#text - size - inText;
    if ((structured < 0 || text < 0) && !this.#isEmpty) return false;
    this.#structured = structured;
    this.#text = text;
    this.#isEmpty = false;
    return true;
  }
}
