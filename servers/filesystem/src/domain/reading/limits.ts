const KiB = 1024;
const MiB = 1024 * KiB;

/** Of a file, in one result: about 32,000 tokens, which is what most hosts will still pass on to a model. */
export const TEXT_BYTES: number = 128 * KiB;

/** Of all files in one result of several. */
export const BUDGET_BYTES: number = 512 * KiB;

/** Up to here a file is read whole and at once, and its etag says what is in it. */
export const HASHED_BYTES: number = MiB;

/** Up to here a file is worked on in memory. */
export const WHOLE_FILE_BYTES: number = 4 * MiB;

/** Of a picture or any other file as base64, which is a third longer. */
export const MEDIA_BYTES: number = 8 * MiB;

/** Of each of two files that are compared line by line. */
export const COMPARED_BYTES: number = 4 * MiB;

/** Read at a time from files that are not read whole. */
export const CHUNK_BYTES: number = MiB;
