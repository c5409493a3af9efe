/** What a connection is for. One in memory serves both: what it holds is its own. */
export type Use = "read" | "write" | "memory";

const EVERY_CONNECTION = [
  // Sorting and temporary tables stay in memory, where the cap on memory holds; no file appears anywhere.
  "temp_store = MEMORY",
  // A hostile file must not be able to fault the process by shrinking under a mapping.
  "mmap_size = 0",
  "cell_size_check = ON",
  // No more of the file is kept than this many KiB a connection.
  "cache_size = -16000",
];
const READING = [
  "query_only = ON",
  // Functions and virtual tables that could do harm are not for a schema that somebody else wrote.
  "trusted_schema = OFF",
];
const WRITING = [
  "query_only = OFF",
  "trusted_schema = OFF",
  "writable_schema = OFF",
  "foreign_keys = ON",
  "recursive_triggers = OFF",
  "ignore_check_constraints = OFF",
  "legacy_alter_table = OFF",
];

/** Set when the connection is opened, and again before every call. */
export const SETTINGS: {
  readonly [use in Use]: { readonly once: readonly string[]; readonly always: readonly string[] };
} = {
  read: { once: EVERY_CONNECTION, always: READING },
  // A commit that was reported is on the disk, in WAL mode too.
  write: { once: [...EVERY_CONNECTION, "synchronous = FULL"], always: WRITING },
  memory: { once: EVERY_CONNECTION, always: WRITING },
};
