/** Spelled out on purpose: a revision that vanished from the source must not vanish from the tests. */
export const LEGACY: readonly string[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const MODERN = "2026-07-28";
export const REVISIONS: readonly string[] = [...LEGACY, MODERN];

/** Whether `revision` is `first` or later: their names sort by age. */
export const isFrom = (revision: string, first: string): boolean => revision >= first;
