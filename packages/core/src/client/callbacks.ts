/** Calls a callback of the program that uses the client. */
export type RunCallback = (callback: () => unknown) => void;

/** Errors that a callback throws go to `onError`; the connection goes on, and other listeners are still called. */
export function createCallbackRunner(onError: (thrown: unknown) => void = () => undefined): RunCallback {
  const report = (thrown: unknown): void => {
    try {
      onError(thrown);
    } catch {
      // Errors thrown by `onError` itself are ignored.
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
