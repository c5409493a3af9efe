import type { BodyProblem } from "./exchange.ts";

/** So that no caller can take all there is. */
const SHARE_OF_ONE = 1 / 4;

/** How much of something there may be at once, and how much of it one caller may have. Callers without a name share all. */
export class Shares {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #taken = new Map<string | undefined, number>();
  #total = 0;

  constructor(most: number) {
    this.#most = most;
    this.#mostOfOne = Math.ceil(most * SHARE_OF_ONE);
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

  /** Whether it is this caller who has too much already. */
  isUsedUp(principal: string | undefined, amount = 1): boolean {
    return principal !== undefined && (this.#taken.get(principal) ?? 0) + amount > this.#mostOfOne;
  }

  giveBack(principal: string | undefined, amount = 1): void {
    this.#add(principal, -amount);
  }

  #add(principal: string | undefined, amount: number): void {
    const taken = (this.#taken.get(principal) ?? 0) + amount;
    this.#total += amount;
    if (taken > 0) this.#taken.set(principal, taken);
    else this.#taken.delete(principal);
  }
}

/** Bodies of this many times the largest one may be held at once. */
const LARGEST_BODIES = 4;

/** What all requests together may take of the server. */
export class Capacity {
  readonly requests: Shares;
  readonly bodies: Shares;
  readonly largestBody: number;

  constructor(mostRequests: number, largestBody: number) {
    this.requests = new Shares(mostRequests);
    this.bodies = new Shares(LARGEST_BODIES * largestBody);
    this.largestBody = largestBody;
  }
}

/** What one request takes while it is worked on. */
export class Reservation {
  /** Whether the work may take longer than the exchange does. */
  outlivesExchange = false;
  readonly #capacity: Capacity;
  readonly #principal: string | undefined;
  #bytes = 0;
  #isOccupied = false;

  constructor(capacity: Capacity, principal: string | undefined) {
    this.#capacity = capacity;
    this.#principal = principal;
  }

  /** Room for a part of the body, or why there is none. */
  hold(bytes: number): BodyProblem["problem"] | undefined {
    const { bodies, largestBody } = this.#capacity;
    if (this.#bytes + bytes > largestBody) return "too-large";
    if (!bodies.take(this.#principal, bytes)) return "too-many";
    this.#bytes += bytes;
    return undefined;
  }

  /** False when there are as many requests as there may be. */
  occupy(): boolean {
    this.#isOccupied ||= this.#capacity.requests.take(this.#principal);
    return this.#isOccupied;
  }

  /** Gives back everything; again does nothing. */
  release(): void {
    const { requests, bodies } = this.#capacity;
    if (this.#isOccupied) requests.giveBack(this.#principal);
    if (this.#bytes > 0) bodies.giveBack(this.#principal, this.#bytes);
    this.#isOccupied = false;
    this.#bytes = 0;
  }
}
