/** Finds what a caller looks for. Asked from the rough to the fine: most files have no match, and fall at the first look. */
export interface LineMatcher {
  /** Whether the bytes may hold a match. Missing: they must be decoded to know. */
  readonly mayMatchBytes?: (bytes: Buffer) => boolean;
  /** Whether any line of a text may match. Lines end with \n alone. */
  readonly mayMatch: (text: string) => boolean;
  /** Where the next line that may match goes on, at or behind a place; -1: nowhere. Missing: every line may. */
  readonly skipTo?: (text: string, from: number) => number;
  /** Where a line matches first, or -1. */
  readonly find: (line: string) => number;
}
