const MiB = 1024 * 1024;

/** By one call: more takes longer than a caller waits. */
export const MOST_COPIED_BYTES: number = 1024 * MiB;
export const MOST_COPIED_ENTRIES = 20_000;

/** Of a directory that is about to go: beyond, it is only said that there are more. */
export const MOST_COUNTED_ENTRIES = 100_000;
