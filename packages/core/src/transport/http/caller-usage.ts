import { Shares } from "../../connection/shares.ts";

/** What one person may use at once, across all clients and replicas. The default is a quarter of the limit of one process. */
export interface CallerLimits {
  readonly requests?: number;
  /** Streams that stay open until they are ended. */
  readonly streams?: number;
  readonly sessions?: number;
  /** Bytes of bodies. */
  readonly body?: number;
}

/** What callers use at once. */
export class CallerUsage {
  readonly #limits: CallerLimits;

  constructor(limits: CallerLimits) {
    this.#limits = limits;
  }

  /** `most` is the limit of this process for all callers together. */
  limit(kind: keyof CallerLimits, most: number): Shares {
    return new Shares(most, this.#limits[kind], (person) => this.elsewhere(kind, person));
  }

  /** What a person uses at other processes. */
  protected elsewhere(_kind: keyof CallerLimits, _person: string): number {
    return 0;
  }

  close(): void {}
}
