type Close = () => unknown;

/** When something is closed at the latest: with what opened it, or with everything. */
export type Latest = "soon" | "last";

const left: Readonly<Record<Latest, Set<Close>>> = { soon: new Set(), last: new Set() };

/**
 * Has something closed by `closeLeftovers`, so that no process and no connection outlives whoever forgot it. Gives what takes
 * that back once it is closed.
 */
export function closeLater(close: Close, latest: Latest = "soon"): () => void {
  left[latest].add(close);
  return () => void left[latest].delete(close);
}

export async function closeLeftovers(latest: Latest = "soon"): Promise<void> {
  const due = [...left[latest]];
  left[latest].clear();
  await Promise.all(due.map((close) => close()));
}
