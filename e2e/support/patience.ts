/** What takes longer does not happen: no wait for something that must come is shorter, however busy the machine. */
export const PATIENCE_MS = 60_000;

interface Waiting {
  readonly timeoutMs?: number;
  /** What there is to see when it was in vain. */
  readonly seen?: () => string;
}

/** Looks until there is something, and gives it. */
export async function until<T>(
  look: () => T | Promise<T>,
  what: string,
  { timeoutMs = PATIENCE_MS, seen = () => "" }: Waiting = {},
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== undefined) return found as Exclude<T, false | undefined>;
    if (performance.now() > deadline)
      throw new Error(`${what} did not come about in ${timeoutMs} ms\n${seen()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The promise, unless it takes too long. */
export async function within<T>(
  promise: Promise<T>,
  failure: string,
  { timeoutMs = PATIENCE_MS, seen = () => "" }: Waiting = {},
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${failure}\n${seen()}`)), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
