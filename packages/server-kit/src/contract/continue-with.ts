import type { MaybePromise } from "@suite/core";

/** For results that need nothing more. */
export const identity = <T>(result: T): T => result;

/** Continues with a result, or with what was thrown instead, at once where it can: a promise costs more than most calls do. */
export function continueWith<T, R>(
  work: () => MaybePromise<T>,
  onResult: (result: T) => MaybePromise<R>,
  onThrown: (thrown: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let result: MaybePromise<T>;
  try {
    result = work();
  } catch (thrown) {
    return onThrown(thrown);
  }
  return result instanceof Promise ? result.then(onResult, onThrown) : onResult(result);
}
