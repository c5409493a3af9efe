import type { MaybePromise } from "@suite/core";

export const identity = <T>(result: T): T => result;

/** Like `then`, but synchronous if the work is: a promise would cost more than most calls do. */
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

/** Tells how work ends, and changes nothing about that. */
export const watchEnd = <T>(
  work: () => MaybePromise<T>,
  onResult: (result: T) => void,
  onThrown: (thrown: unknown) => void,
): MaybePromise<T> =>
  continueWith(
    work,
    (result) => {
      onResult(result);
      return result;
    },
    (thrown) => {
      onThrown(thrown);
      throw thrown;
    },
  );
