/** Calls a function of the program that uses the client. */
export type Caller = (callback: () => unknown) => void;

/** What a callback throws is no fault of the connection: it is told to `onError`, and everybody else hears on. */
export function createCaller(onError: (thrown: unknown) => void = () => undefined): Caller {
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
