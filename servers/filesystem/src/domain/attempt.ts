/** What work returns, or undefined if it throws: for what may be missing, forbidden or gone at any moment. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
