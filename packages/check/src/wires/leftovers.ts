type Close = () => unknown;

/** When something is closed at the latest: with what opened it, or with everything. */
export type Latest = "soon" | "last";

const left: Readonly<Record<Latest, Set<Close>>> = { soon: new Set(), last: new Set() };

/** Has something closed by `closeLeftovers`, so that no process and no connection outlives whoever forgot it. */
export const closeLater = (close: Close, latest: Latest = "soon"): void => void left[latest].add(close);

export async function closeLeftovers(latest: Latest = "soon"): Promise<void> {
  const due = [...left[latest]];
  left[latest].clear();
  await Promise.all(due.map((close) => close()));
}
