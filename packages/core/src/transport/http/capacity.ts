import type { CallerUsage } from "./caller-usage.ts";
import type { BodyProblem } from "./exchange.ts";
import type { Shares } from "./shares.ts";

/** Bodies of this many times the largest one may be held at once. */
const LARGEST_BODIES = 4;

/** What there is of each at this moment. */
export interface HandlerLoad {
  readonly requests: number;
  readonly sessions: number;
  readonly streams: number;
  /** What was written to streams and has not left yet. */
  readonly unreadBytes: number;
  /** Those that other replicas could not be told of yet. */
  readonly waitingChanges: number;
}

/** What all requests together may take of the server. */
export class Capacity {
  readonly requests: Shares;
  readonly streams: Shares;
  readonly bodies: Shares;
  readonly largestBody: number;

  constructor(mostRequests: number, largestBody: number, usage: CallerUsage) {
    this.requests = usage.limit("requests", mostRequests);
    this.streams = usage.limit("streams", mostRequests);
    this.bodies = usage.limit("body", LARGEST_BODIES * largestBody);
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
  #hasStream = false;

  constructor(capacity: Capacity, principal: string | undefined) {
    this.#capacity = capacity;
    this.#principal = principal;
  }

  /** Room for a part of the body, or why there is none. */
  hold(bytes: number): BodyProblem["problem"] | undefined {
    const { bodies, largestBody } = this.#capacity;
    const isNamed = this.#principal !== undefined;
    if (this.#bytes + bytes > (isNamed ? Math.min(largestBody, bodies.mostOfOne) : largestBody))
      return "too-large";
    if (!bodies.take(this.#principal, bytes)) return "too-many";
    this.#bytes += bytes;
    return undefined;
  }

  /** False when there are as many requests as there may be. */
  occupy(): boolean {
    this.#isOccupied ||= this.#capacity.requests.take(this.#principal);
    return this.#isOccupied;
  }

  /** The same for what stays open until somebody ends it. */
  openStream(): boolean {
    this.#hasStream ||= this.#capacity.streams.take(this.#principal);
    return this.#hasStream;
  }

  /** Gives back everything; again does nothing. */
  release(): void {
    const { requests, streams, bodies } = this.#capacity;
    if (this.#isOccupied) requests.giveBack(this.#principal);
    if (this.#hasStream) streams.giveBack(this.#principal);
    if (this.#bytes > 0) bodies.giveBack(this.#principal, this.#bytes);
    this.#isOccupied = this.#hasStream = false;
    this.#bytes = 0;
  }
}
