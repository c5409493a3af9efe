/** The protocol revisions, oldest first. */
export type Revision = "2024-11-05" | "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28";

export const ALL: readonly Revision[] = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
];
export const LEGACY: readonly Revision[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const MODERN: readonly Revision[] = ["2026-07-28"];
export const SINCE_2025_03_26: readonly Revision[] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
export const SINCE_2025_06_18: readonly Revision[] = ["2025-06-18", "2025-11-25", "2026-07-28"];
export const SINCE_2025_11_25: readonly Revision[] = ["2025-11-25", "2026-07-28"];
export const LEGACY_SINCE_2025_03_26: readonly Revision[] = ["2025-03-26", "2025-06-18", "2025-11-25"];
export const LEGACY_SINCE_2025_06_18: readonly Revision[] = ["2025-06-18", "2025-11-25"];
export const UNTIL_2025_03_26: readonly Revision[] = ["2024-11-05", "2025-03-26"];
export const FROM_2025_03_26_TO_2025_06_18: readonly Revision[] = ["2025-03-26", "2025-06-18"];
export const ONLY_2024_11_05: readonly Revision[] = ["2024-11-05"];
export const ONLY_2025_03_26: readonly Revision[] = ["2025-03-26"];
export const ONLY_2025_06_18: readonly Revision[] = ["2025-06-18"];
export const ONLY_2025_11_25: readonly Revision[] = ["2025-11-25"];
