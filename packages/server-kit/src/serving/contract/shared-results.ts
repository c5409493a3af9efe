import { type CallToolResult, type StopSignal, StoreUnavailable } from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import type { KitReplica } from "./settings.ts";

/** The record of a call: claimed by a replica, finished with a result, or lost because its replica does not answer. */
type SharedRecord = { readonly digest: string } & (
  | { readonly owner: string; readonly attempt: string }
  | { readonly result: CallToolResult }
  | { readonly isLost: true }
);

interface WorkDone {
  readonly result: CallToolResult;
  /** Whether repeated calls get this result, too. */
  readonly isFinal: boolean;
}

/** Rejects if the call is not claimed any more. Undefined, if nobody can have taken the claim away. */
export type Fence = () => Promise<void> | undefined;

interface ClaimedWork {
  readonly stop: StopSignal;
  readonly abort: (reason: Fault) => void;
  /** Throws if the first call had other arguments. */
  readonly check: (first: { readonly digest: string }) => void;
  /** Has to pass the fence before it changes anything. */
  readonly work: (fence: Fence) => Promise<WorkDone>;
}

interface SharedOutcome {
  /** Rejects after a while if the result cannot be stored, so that the caller does not wait for the store. */
  readonly answer: Promise<CallToolResult>;
  /** The result, once it is stored for every replica. */
  readonly settled: Promise<CallToolResult>;
}

const LOOK_MS = 100;
const LOOK_FOR_OWNER_MS = 1000;
const RETRY_MS = 300;
const PATIENCE_MS = 2000;
const MOST_DOUBTFUL = 10_000;

/** First results shared by replicas: a call is claimed before it runs, and its result stored before it is sent. */
export class SharedResults {
  readonly #replica: Pick<KitReplica, "id" | "store" | "heartbeat">;
  readonly #ttlMs: number;
  /** Claims that may or may not have been stored, with their place and when they would expire. */
  readonly #doubtful = new Map<string, { readonly place: string; readonly until: number }>();

  /** Of calls that run here. */
  readonly #fences = new Map<Fence, ClaimedWork["abort"]>();

  constructor(replica: Pick<KitReplica, "id" | "store" | "heartbeat">, ttlMs: number) {
    this.#replica = replica;
    this.#ttlMs = ttlMs;
    // After a pause, calls that ran before it are stopped if others have been told that they are lost.
    replica.heartbeat.onResumed(() => {
      for (const [fence, abort] of this.#fences) fence()?.catch(abort);
    });
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
    const fence = this.#toFence(place, claim);
    this.#fences.set(fence, steps.abort);
    let done: WorkDone | undefined;
    try {
      done = await steps.work(fence);
    } finally {
      onWorked();
      this.#fences.delete(fence);
      const record = done?.isFinal ? ({ digest, result: done.result } satisfies SharedRecord) : undefined;
      const write = (): unknown =>
        record
          ? store.set(place, JSON.stringify(record), { ttlMs: this.#ttlMs })
          : store.set(place, claim, endOf(claim));
      await persist(write, Date.now() + this.#ttlMs, pause);
    }
    return done.result;
  }

  /** Only after a pause of this process, or of its connection to the store, can its claims have been taken away. */
  #toFence(place: string, claim: string): Fence {
    const { store, heartbeat } = this.#replica;
    const { doubts } = heartbeat;
    const look = async (): Promise<void> => {
      let current: string | undefined;
      try {
        current = await store.get(place);
      } catch (thrown) {
        throw unavailable(thrown);
      }
      if (current !== claim) throw overtaken();
    };
    return () => (heartbeat.isInDoubt || heartbeat.doubts !== doubts ? look() : undefined);
  }

  /** The first result, or undefined if the call is now claimed and must be run here. */
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
        if (!(await this.#replica.heartbeat.isDead(record.owner))) continue;
        const isLost = JSON.stringify({ digest: record.digest, isLost: true } satisfies SharedRecord);
        await store.set(place, isLost, { ttlMs: this.#ttlMs, expected: { value: text } });
      }
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
      // The claim may have been stored nevertheless, and other calls would wait for it.
      this.#withdraw(place, claim);
      throw unavailable(thrown);
    }
  }

  /** Withdraws doubtful claims one at a time, however many calls failed to reach the store. */
  #withdraw(place: string, claim: string): void {
    // Only early claims can have reached the store before it failed; later ones need no withdrawal.
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

/** Ends only this claim: by the time of a retry, another call may have claimed the place. */
const endOf = (claim: string) => ({ ttlMs: 1, expected: { value: claim } });

/** Retries the write until `until`. */
async function persist(write: () => unknown, until: number, rest: typeof pause): Promise<void> {
  for (; Date.now() < until; await rest(RETRY_MS)) {
    try {
      await write();
      return;
    } catch {
      // The store is unavailable: try again.
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Unlike `pause`, does not keep the process alive. */
const pauseInBackground = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms).unref());

const unavailable = (cause: unknown): Fault =>
  new Fault(
    "unavailable",
    "Nothing was done: the store that makes repeated calls safe cannot be reached right now.",
    {
      hint: "Try again in a second, with the same idempotency key.",
      retryAfterMs: 1000,
      cause,
    },
  );

const notStoredYet = (): Fault =>
  new Fault("unavailable", "The call was made, but its result could not be stored yet.", {
    hint: "Repeat it with the same idempotency key: it is not done twice, as long as the store keeps its data.",
    retryAfterMs: 1000,
  });

const lost = (): Fault =>
  new Fault(
    "unavailable",
    "The process that makes this call does not answer: how far it got is unknown, and it may still finish.",
    {
      hint: "Look whether it took effect before you make it again, with a new idempotency key.",
      retryable: false,
    },
  );

const overtaken = (): Fault =>
  new Fault(
    "unavailable",
    "Stopped: this process did not answer for a while, and clients were told that the call may be lost.",
    { hint: "Look whether it took effect before you make it again.", retryable: false },
  );
