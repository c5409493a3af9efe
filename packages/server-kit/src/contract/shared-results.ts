import {
  type CallToolResult,
  type Replica,
  type SetConditions,
  type StopSignal,
  StoreUnavailable,
} from "@suite/core";

import { Fault } from "../errors/fault.ts";

/** Under a key: that somebody is at it, what became of it, or that nobody knows. */
type SharedRecord = { readonly digest: string } & (
  | { readonly owner: string; readonly attempt: string }
  | { readonly result: CallToolResult }
  | { readonly isLost: true }
);

interface WorkDone {
  readonly result: CallToolResult;
  /** Whether it is the result of every repetition, too. */
  readonly isFinal: boolean;
}

interface ClaimedWork {
  readonly stop: StopSignal;
  /** Throws where the first call was another one. */
  readonly check: (first: { readonly digest: string }) => void;
  readonly work: () => Promise<WorkDone>;
}

interface SharedOutcome {
  /** For whoever waits: comes in time even if the store does not. */
  readonly answer: Promise<CallToolResult>;
  /** The same, once every replica can know it. */
  readonly settled: Promise<CallToolResult>;
}

const LOOK_MS = 100;
const LOOK_FOR_OWNER_MS = 1000;
const RETRY_MS = 300;
const PATIENCE_MS = 2000;
/** As many as there may be requests at once. */
const MOST_DOUBTFUL = 10_000;

/** First results of calls that any replica may be asked to repeat: claimed before the work, stored before they are told. */
export class SharedResults {
  readonly #replica: Replica;
  readonly #ttlMs: number;
  /** Claims of which nobody knows whether they were stored: where, and until when that would matter. */
  readonly #doubtful = new Map<string, { readonly place: string; readonly until: number }>();

  constructor(replica: Replica, ttlMs: number) {
    this.#replica = replica;
    this.#ttlMs = ttlMs;
  }

  run(place: string, digest: string, steps: ClaimedWork): SharedOutcome {
    let timer: NodeJS.Timeout | undefined;
    let giveUp: (fault: Fault) => void = () => undefined;
    const tooLate = new Promise<never>((_resolve, reject) => (giveUp = reject));
    const settled = this.#run(place, digest, steps, () => {
      timer = setTimeout(() => giveUp(notStoredYet()), PATIENCE_MS);
    });
    const answer = Promise.race([settled, tooLate]).finally(() => clearTimeout(timer));
    return { answer, settled };
  }

  async #run(
    place: string,
    digest: string,
    steps: ClaimedWork,
    onWorked: () => void,
  ): Promise<CallToolResult> {
    const { store, id: owner } = this.#replica;
    const claim = JSON.stringify({ digest, owner, attempt: crypto.randomUUID() } satisfies SharedRecord);
    const first = await this.#claim(place, claim, steps);
    if (first) return first;
    let done: WorkDone | undefined;
    try {
      done = await steps.work();
    } finally {
      onWorked();
      const record = done?.isFinal ? ({ digest, result: done.result } satisfies SharedRecord) : undefined;
      const write = (): unknown =>
        record
          ? store.set(place, JSON.stringify(record), { ttlMs: this.#ttlMs })
          : store.set(place, claim, endOf(claim));
      await persist(write, Date.now() + this.#ttlMs, pause);
    }
    return done.result;
  }

  /** The first result, or undefined where the work is ours. */
  async #claim(
    place: string,
    claim: string,
    { stop, check }: ClaimedWork,
  ): Promise<CallToolResult | undefined> {
    const { store } = this.#replica;
    const isFree = { value: undefined };
    try {
      for (let nextLook = 0; ; await pause(LOOK_MS)) {
        stop.throwIfAborted();
        if (await store.set(place, claim, { ttlMs: this.#ttlMs, expected: isFree })) return undefined;
        const text = await store.get(place);
        if (text === undefined) continue;
        const record = JSON.parse(text) as SharedRecord;
        check(record);
        if ("result" in record) return record.result;
        if ("isLost" in record) throw lost();
        if (Date.now() < nextLook) continue;
        nextLook = Date.now() + LOOK_FOR_OWNER_MS;
        if (!(await this.#replica.hasGone(record.owner))) continue;
        const isLost = JSON.stringify({ digest: record.digest, isLost: true } satisfies SharedRecord);
        await store.set(place, isLost, { ttlMs: this.#ttlMs, expected: { value: text } });
      }
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
      // The claim may have been stored all the same, and would keep everybody waiting.
      this.#withdraw(place, claim);
      throw unavailable(thrown);
    }
  }

  /** Those in doubt are withdrawn one after the other, however many calls find the store away. */
  #withdraw(place: string, claim: string): void {
    // The first ones may have been on their way; what came much later found no store at all.
    if (this.#doubtful.size >= MOST_DOUBTFUL) return;
    this.#doubtful.set(claim, { place, until: Date.now() + this.#ttlMs });
    if (this.#doubtful.size === 1) void this.#withdrawAll();
  }

  async #withdrawAll(): Promise<void> {
    const { store } = this.#replica;
    for (const [claim, { place, until }] of this.#doubtful) {
      await persist(() => store.set(place, claim, endOf(claim)), until, pauseInBackground);
      this.#doubtful.delete(claim);
    }
  }
}

/** Others may have a claim of their own by the time that this is tried once more. */
const endOf = (claim: string): SetConditions => ({ ttlMs: 1, expected: { value: claim } });

/** For as long as anybody could ask. */
async function persist(write: () => unknown, until: number, rest: typeof pause): Promise<void> {
  for (; Date.now() < until; await rest(RETRY_MS)) {
    try {
      await write();
      return;
    } catch {
      // The store is away: it will be back.
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Where no call waits for it, a process that has nothing else to do may end. */
const pauseInBackground = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms).unref());

const unavailable = (cause: unknown): Fault =>
  new Fault("unavailable", "Nothing was done: what makes repeated calls safe cannot be reached right now.", {
    hint: "Try again in a second, with the same idempotency key.",
    retryAfterMs: 1000,
    cause,
  });

const notStoredYet = (): Fault =>
  new Fault("unavailable", "The call was made, but its result could not be stored yet.", {
    hint: "Repeat it with the same idempotency key: it is not done twice.",
    retryAfterMs: 1000,
  });

const lost = (): Fault =>
  new Fault("unavailable", "The process that made this call ended before it could say what became of it.", {
    hint: "Look whether it took effect before you make it again, with a new idempotency key.",
    retryable: false,
  });
