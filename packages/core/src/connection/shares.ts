import { personOf } from "../values/principal.ts";

/** The default, so that no caller can use up everything. */
const SHARE_OF_ONE = 1 / 4;

/** Limits how much of something is used at once, in total and by one person. Callers without a principal share the total. */
export class Shares {
  readonly perCallerLimit: number;
  readonly #most: number;
  readonly #elsewhere: (person: string) => number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** `elsewhere` returns what a person uses on other replicas. */
  constructor(
    most: number,
    perCallerLimit: number = Math.ceil(most * SHARE_OF_ONE),
    elsewhere: (person: string) => number = () => 0,
  ) {
    this.#most = most;
    this.perCallerLimit = perCallerLimit;
    this.#elsewhere = elsewhere;
  }

  get total(): number {
    return this.#total;
  }

  /** False, and nothing is taken, when there is not that much left. */
  take(principal: string | undefined, amount = 1): boolean {
    if (this.#total + amount > this.#most || this.isUsedUp(principal, amount)) return false;
    this.#add(principal, amount);
    return true;
  }

  /** Whether this amount would exceed the person's own limit. */
  isUsedUp(principal: string | undefined, amount = 1): boolean {
    if (principal === undefined) return false;
    const person = personOf(principal);
    return (this.#taken.get(person) ?? 0) + amount + this.#elsewhere(person) > this.perCallerLimit;
  }

  /** The persons who use most, and how much. */
  largest(count: number): readonly (readonly [person: string, amount: number])[] {
    const all = [...this.#taken];
    return all.length > count ? all.toSorted((a, b) => b[1] - a[1]).slice(0, count) : all;
  }

  giveBack(principal: string | undefined, amount = 1): void {
    this.#add(principal, -amount);
  }

  #add(principal: string | undefined, amount: number): void {
    this.#total += amount;
    if (principal === undefined) return;
    const person = personOf(principal);
    const taken = (this.#taken.get(person) ?? 0) + amount;
    if (taken > 0) this.#taken.set(person, taken);
    else this.#taken.delete(person);
  }
}
