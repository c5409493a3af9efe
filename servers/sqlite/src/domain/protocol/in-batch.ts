import { Fault } from "@suite/server-kit/domain";

/** Works on the statement at this index of a batch. Its error says which statement it was. */
export function inBatch<T>(at: number, count: number, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const { code, message, retryable, retryAfterMs, hint } = thrown;
    throw new Fault(code, `Statement ${at + 1} of ${count} failed, so nothing was changed. ${message}`, {
      retryable,
      retryAfterMs,
      hint,
      details: { ...thrown.details, statement: at + 1 },
      cause: thrown,
    });
  }
}
