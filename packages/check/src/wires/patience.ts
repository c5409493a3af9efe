/** What takes longer does not happen: no wait for something that must come is shorter, however busy the machine. */
export const PATIENCE_MS = 60_000;

const SHOWN_LINES = 30;
const SHOWN_CHARACTERS = 500;

/** Enough of a transcript to see why a test failed: all of it may be megabytes. */
export function lastLinesOf(text: string): string {
  const lines = text.split("\n");
  const left = Math.max(0, lines.length - SHOWN_LINES);
  const shown = lines.slice(left).map((line) => {
    const more = line.length - SHOWN_CHARACTERS;
    return more > 0 ? `${line.slice(0, SHOWN_CHARACTERS)}… ${more} more characters` : line;
  });
  return [...(left > 0 ? [`(${left} lines before)`] : []), ...shown].join("\n");
}

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
      throw new Error(`${what} did not come about in ${timeoutMs} ms\n${lastLinesOf(seen())}`);
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
    timer = setTimeout(() => reject(new Error(`${failure}\n${lastLinesOf(seen())}`)), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
