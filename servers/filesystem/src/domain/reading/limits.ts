const MiB = 1024 * 1024;

/** Of a text in one result where the call says nothing else: hosts refuse or cut what is much longer. */
export const TEXT_BYTES: number = 38_000;

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
