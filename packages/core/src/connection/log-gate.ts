import type { LogEntry } from "../features/logging.ts";
import { TokenBucket } from "../timing/token-bucket.ts";
import { isAtLeast, type LoggingLevel } from "../model/logging.ts";

/** A client can read this many log messages; a runaway loop must not drown its answers (logging#implementation). */
const RATE = { burst: 200, perSecond: 100 };

/** Lets a log entry through when it is severe enough and the rate allows, and says how many it held back. */
export class LogGate {
  readonly #redact: (data: unknown) => unknown;
  #bucket: TokenBucket | undefined;

  constructor(redact: (data: unknown) => unknown) {
    this.#redact = redact;
  }

  pass(entry: LogEntry, threshold: LoggingLevel | undefined): LogEntry | undefined {
    if (threshold === undefined || !isAtLeast(entry.level, threshold)) return undefined;
    this.#bucket ??= new TokenBucket(RATE);
    if (!this.#bucket.take()) return undefined;
    const data = toWritable(this.#redact(entry.data));
    const dropped = this.#bucket.drainRefused();
    if (dropped === 0) return { ...entry, data };
    return { ...entry, data: { message: data, droppedBefore: dropped } };
  }
}

/** Log data must reach the client in some form, and must never make the work fail that logs it. */
function toWritable(data: unknown): unknown {
  if (data instanceof Error) return { name: data.name, message: data.message };
  if (typeof data !== "object" && typeof data !== "bigint") return data;
  try {
    return JSON.parse(JSON.stringify(data));
  } catch {
    return `(not serializable as JSON: ${typeof data})`;
  }
}
