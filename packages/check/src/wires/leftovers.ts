type Close = () => unknown;

/** When something is closed at the latest: with what opened it, or with everything. */
export type Latest = "soon" | "last";

let isOver = false;
const left: Readonly<Record<Latest, Set<Close>>> = { soon: new Set(), last: new Set() };

/**
 * Has something closed by `closeLeftovers`, so that no process and no connection outlives whoever forgot it. Gives what takes
 * that back once it is closed.
 */
export function closeLater(close: Close, latest: Latest = "soon"): () => void {
  // Its opener is still being put together.
  if (isOver) queueMicrotask(close);
  left[latest].add(close);
  return () => void left[latest].delete(close);
}

export async function closeLeftovers(latest: Latest = "soon"): Promise<void> {
  const due = [...left[latest]];
  left[latest].clear();
  await Promise.all(due.map((close) => close()));
}

/** Everything, and at once what is opened from now on: a visit that loses its server would go on with another. */
export async function closeForGood(): Promise<void> {
  isOver = true;
  await closeLeftovers();
  await closeLeftovers("last");
}
