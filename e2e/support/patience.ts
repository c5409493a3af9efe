/** What takes longer does not happen: no wait for something that must come is shorter, however busy the machine. */
export const PATIENCE_MS = 60_000;
