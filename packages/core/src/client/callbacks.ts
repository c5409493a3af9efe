/** Calls a function of the program that uses the client. */
export type RunCallback = (callback: () => unknown) => void;

/** What a callback throws is not the connection's fault: `onError` learns of it, and the other listeners are still called. */
export function createCallbackRunner(onError: (thrown: unknown) => void = () => undefined): RunCallback {
  const report = (thrown: unknown): void => {
    try {
      onError(thrown);
    } catch {
      // Nobody is left to be told.
    }
  };
  return (callback) => {
    try {
      const returned = callback();
      // Functions that return nothing may still be async ones.
      if (returned instanceof Promise) returned.catch(report);
    } catch (thrown) {
      report(thrown);
    }
  };
}
