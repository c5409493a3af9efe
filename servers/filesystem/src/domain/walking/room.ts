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

/** How long a walk goes on only to count, unless counting is what was asked for. */
const COUNTING_MS = 250;

/** Counts what comes after a full page, so that the heading of a cut list tells how long the whole is. */
export class Beyond {
  isFull = false;
  #more = 0;
  #isCut = false;
  #endsAt = 0;
  readonly #counts: boolean;
  readonly #mostMs: number;

  /** `counts`: only a first page can tell a total. */
  constructor(counts: boolean, mostMs: number = COUNTING_MS) {
    this.#counts = counts;
    this.#mostMs = mostMs;
  }

  /** Call for each entry that is not on the page. */
  count(): "stop" | undefined {
    if (!this.isFull) this.#endsAt = performance.now() + this.#mostMs;
    this.isFull = true;
    if (!this.#counts) return "stop";
    this.#more += 1;
    return this.#more % 256 === 0 ? this.look() : undefined;
  }

  /** Call where the walk goes on for long without an entry to count. */
  look(): "stop" | undefined {
    return this.isFull && performance.now() > this.#endsAt ? this.cut() : undefined;
  }

  /** Ends the counting. */
  cut(): "stop" {
    this.#isCut = true;
    return "stop";
  }

  toTotal(shown: number): { readonly total?: number; readonly is_lower_bound?: true } {
    if (!this.isFull || !this.#counts) return {};
    return { total: shown + this.#more, ...(this.#isCut && { is_lower_bound: true }) };
  }
}
