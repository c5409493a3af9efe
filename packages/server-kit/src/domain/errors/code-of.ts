/** The error code of Node or SQLite, such as ENOENT. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
