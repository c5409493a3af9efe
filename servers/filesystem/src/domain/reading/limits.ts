const MiB = 1024 * 1024;

/** Default limit for text in one result: hosts reject or truncate much longer results. */
export const TEXT_BYTES: number = 38_000;

/** Files up to this size are read whole and synchronously, and their etag is a hash of the content. */
export const HASHED_BYTES: number = MiB;

/** Files up to this size are processed in memory. */
export const WHOLE_FILE_BYTES: number = 4 * MiB;

/** Limit for a file returned as base64, before encoding, which makes it a third longer. */
export const MEDIA_BYTES: number = 8 * MiB;

/** Limit for a document, which is read whole. */
export const DOCUMENT_BYTES: number = 64 * MiB;

/** Limit for each of two files that are compared line by line. */
export const COMPARED_BYTES: number = 4 * MiB;

/** Bytes per read of larger files. */
export const CHUNK_BYTES: number = MiB;
