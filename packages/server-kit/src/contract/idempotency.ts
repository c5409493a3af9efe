import type { Call, CallToolResult, MaybePromise } from "@suite/core";

import { Fault } from "../errors/fault.ts";
import { digestOfArguments } from "./arguments-digest.ts";
import { ERROR_META, type ErrorMeta } from "./failures.ts";
import { identity } from "./continue-with.ts";

const IDEMPOTENCY_KEY = "dev.suite/idempotencyKey";
const LONGEST_KEY = 200;
const MOST_KEPT = 1000;
/** Of JSON, all results together. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const KEPT_MS = 60 * 60_000;

interface Running {
  readonly digest: string;
  readonly result: Promise<CallToolResult>;
}

interface Kept {
  readonly digest: string;
  readonly result: CallToolResult;
  readonly size: number;
  readonly until: number;
}

type Work = () => MaybePromise<CallToolResult>;
type ToKept = (result: CallToolResult) => CallToolResult;

/** Gives a repeated write its first result again, so that an agent that lost an answer may ask once more. */
export class FirstResults {
  readonly #running = new Map<string, Running>();
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  /** What is kept says by `toKept` all that a later call could not find out. */
  run(call: Call, work: Work, toKept: ToKept = identity): MaybePromise<CallToolResult> {
    const key = readKey(call);
    if (key === undefined) return work();
    const place = JSON.stringify([call.context.principal ?? "", call.name, key]);
    const digest = digestOfArguments(call.arguments ?? {});
    if (digest === undefined) throw new Fault("invalid_input", "The arguments are nested too deeply.");
    const running = this.#running.get(place);
    const first = running ?? this.#find(place);
    if (first && first.digest !== digest) {
      throw new Fault(
        "conflict",
        `The idempotency key ${JSON.stringify(key)} was used with other arguments.`,
        {
          hint: "Take a new key for a new call.",
        },
      );
    }
    if (running) return this.#join(running, call, work, toKept);
    return this.#find(place)?.result ?? this.#start(place, digest, work, toKept);
  }

  /** What became of the first call is for all, unless it left nothing behind: then the next one tries. */
  async #join({ result }: Running, call: Call, work: Work, toKept: ToKept): Promise<CallToolResult> {
    const outcome = await result.catch(() => undefined);
    if (outcome && !mayBeRepeated(outcome)) return outcome;
    call.context.stop.throwIfAborted();
    return this.run(call, work, toKept);
  }

  #start(place: string, digest: string, work: Work, toKept: ToKept): MaybePromise<CallToolResult> {
    const outcome = work();
    if (!(outcome instanceof Promise)) return this.#keep(place, digest, toKept(outcome));
    // What is thrown is no result: a question to the client, or a fault of the protocol.
    const result = outcome
      .finally(() => this.#running.delete(place))
      .then((settled) => this.#keep(place, digest, toKept(settled)));
    this.#running.set(place, { digest, result });
    return result;
  }

  #keep(place: string, digest: string, result: CallToolResult): CallToolResult {
    if (mayBeRepeated(result)) return result;
    const size = JSON.stringify(result).length;
    this.#size += size;
    this.#kept.set(place, { digest, result, size, until: Date.now() + KEPT_MS });
    for (const oldest of this.#kept.keys()) {
      if (oldest === place || (this.#kept.size <= MOST_KEPT && this.#size <= MOST_CHARACTERS)) break;
      this.#forget(oldest);
    }
    return result;
  }

  #find(place: string): Kept | undefined {
    const kept = this.#kept.get(place);
    if (kept === undefined || kept.until > Date.now()) return kept;
    this.#forget(place);
    return undefined;
  }

  #forget(place: string): void {
    this.#size -= this.#kept.get(place)?.size ?? 0;
    this.#kept.delete(place);
  }
}

function readKey({ context, target }: Call): string | undefined {
  const key = context.meta[IDEMPOTENCY_KEY];
  if (key === undefined || target?.kind !== "tool" || target.entry.definition.effects === "read")
    return undefined;
  if (typeof key === "string" && key !== "" && key.length <= LONGEST_KEY) return key;
  throw new Fault(
    "invalid_input",
    `_meta ${IDEMPOTENCY_KEY} must be a text of 1 to ${LONGEST_KEY} characters.`,
  );
}

/** A call that failed for reasons that pass must not fail forever. */
const mayBeRepeated = ({ isError, _meta }: CallToolResult): boolean =>
  isError === true && (_meta?.[ERROR_META] as ErrorMeta | undefined)?.retryable === true;
