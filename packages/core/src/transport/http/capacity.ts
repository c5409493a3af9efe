import type { CallerUsage } from "./caller-usage.ts";
import type { BodyProblem } from "./exchange.ts";
import type { Shares } from "../../connection/shares.ts";

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

/** What one request takes until it is worked on no more, and its answer has left. */
export class Reservation {
  readonly #capacity: Capacity;
  readonly #principal: string | undefined;
  /** Who needs it still: the exchange, and work that may take longer. */
  #holders = 1;
  #bytes = 0;
  #isOccupied = false;
  #hasStream = false;

  constructor(capacity: Capacity, principal: string | undefined) {
    this.#capacity = capacity;
    this.#principal = principal;
  }

  /** Room for a part of the body, or why there is none. */
  hold(bytes: number): BodyProblem["problem"] | undefined {
    if (this.#holders === 0) return "aborted";
    const { bodies, largestBody } = this.#capacity;
    const isNamed = this.#principal !== undefined;
    if (this.#bytes + bytes > (isNamed ? Math.min(largestBody, bodies.mostOfOne) : largestBody))
      return "too-large";
    if (!bodies.take(this.#principal, bytes)) return "too-many";
    this.#bytes += bytes;
    return undefined;
  }

  /** Keeps everything until what is returned is called, however early the exchange is over. */
  retain(): () => void {
    this.#holders += 1;
    let isLeft = false;
    return () => {
      if (!isLeft) this.release();
      isLeft = true;
    };
  }

  /** False when there are as many requests as there may be, or nobody is there any more who would give it back. */
  occupy(): boolean {
    if (this.#holders === 0) return false;
    this.#isOccupied ||= this.#capacity.requests.take(this.#principal);
    return this.#isOccupied;
  }

  /** The same for what stays open until somebody ends it. */
  openStream(): boolean {
    if (this.#holders === 0) return false;
    this.#hasStream ||= this.#capacity.streams.take(this.#principal);
    return this.#hasStream;
  }

  /** One holder less: the last one gives back everything. */
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
