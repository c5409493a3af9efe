import type { CallerUsage } from "./caller-usage.ts";
import type { BodyProblem } from "./exchange.ts";
import type { Shares } from "../../connection/shares.ts";

/** All bodies held at once may be this many times as large as the largest one. */
const LARGEST_BODIES = 4;

/** What the handler is busy with at this moment. */
export interface HandlerLoad {
  readonly requests: number;
  readonly sessions: number;
  readonly streams: number;
  /** What was written to streams and has not left yet. */
  readonly unreadBytes: number;
  /** Changes that could not be announced to other replicas yet. */
  readonly waitingChanges: number;
}

/** Limits for all requests together. */
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

/** What one request uses until its work is done and its answer has been sent. */
export class Reservation {
  readonly #capacity: Capacity;
  readonly #principal: string | undefined;
  /** A reference count: the exchange, and work that may take longer. */
  #holders = 1;
  #bytes = 0;
  #isOccupied = false;
  #hasStream = false;

  constructor(capacity: Capacity, principal: string | undefined) {
    this.#capacity = capacity;
    this.#principal = principal;
  }

  /** Reserves room for a part of the body. Returns the problem if there is none. */
  hold(bytes: number): BodyProblem["problem"] | undefined {
    if (this.#holders === 0) return "aborted";
    const { bodies, largestBody } = this.#capacity;
    const isNamed = this.#principal !== undefined;
    if (this.#bytes + bytes > (isNamed ? Math.min(largestBody, bodies.perCallerLimit) : largestBody))
      return "too-large";
    if (!bodies.take(this.#principal, bytes)) return "too-many";
    this.#bytes += bytes;
    return undefined;
  }

  /** Keeps the reservation until the returned function is called, even if the exchange ends before. */
  retain(): () => void {
    this.#holders += 1;
    let isLeft = false;
    return () => {
      if (!isLeft) this.release();
      isLeft = true;
    };
  }

  /** False if the limit of requests is reached, or the reservation has already been released. */
  occupy(): boolean {
    if (this.#holders === 0) return false;
    this.#isOccupied ||= this.#capacity.requests.take(this.#principal);
    return this.#isOccupied;
  }

  /** The same for a stream that stays open. */
  openStream(): boolean {
    if (this.#holders === 0) return false;
    this.#hasStream ||= this.#capacity.streams.take(this.#principal);
    return this.#hasStream;
  }

  /** Removes one holder; the last one gives everything back. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    const { requests, streams, bodies } = this.#capacity;
    if (this.#isOccupied) requests.giveBack(this.#principal);
    if (this.#hasStream) streams.giveBack(this.#principal);
    if (this.#bytes > 0) bodies.giveBack(this.#principal, this.#bytes);
    this.#isOccupied = this.#hasStream = false;
    this.#bytes = 0;
  }
}
