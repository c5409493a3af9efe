/** What Node and SQLite call a failure, such as ENOENT. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
