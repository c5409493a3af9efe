import type { Chunk, Portion, Progress } from "../protocol/statements.ts";
import type { ConnectionPool } from "./connection-pool.ts";

/**
 * What a task has besides its arguments. Tasks are work in the worker beyond single statements: introspection, import, export,
 * backup. One runs alone, and a cancelled one ends with its process, so it needs no signal; what must not stay half done belongs
 * in a transaction.
 */
export interface TaskContext {
  readonly pool: ConnectionPool;
  readonly progress: (progress: Progress) => void;
  /** Sends a part of the result. Resolves when the other side has taken it: wait for it, and nothing piles up. */
  readonly emit: (chunk: Chunk) => Promise<void>;
  /** What the caller streams in, one value at a time, asked for when it is wanted. */
  readonly input: AsyncIterable<Portion>;
}
