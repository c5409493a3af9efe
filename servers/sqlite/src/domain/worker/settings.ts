import { Fault } from "@suite/server-kit/domain";
import type { Database } from "better-sqlite3";

/** What a connection is for. An in-memory database has only one connection, for both. */
export type ConnectionUse = "read" | "write" | "memory";

const EVERY_CONNECTION = [
  // Sorting and temporary tables stay in memory, where the cap on memory holds; no file appears anywhere.
  "temp_store = MEMORY",
  // A hostile file must not be able to fault the process by shrinking under a mapping.
  "mmap_size = 0",
  "cell_size_check = ON",
  // The page cache of a connection, in KiB.
  "cache_size = -16000",
];
const READING = [
  "query_only = ON",
  // A schema that somebody else wrote must not use functions and virtual tables that could do harm.
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
  readonly [use in ConnectionUse]: { readonly once: readonly string[]; readonly always: readonly string[] };
} = {
  read: { once: EVERY_CONNECTION, always: READING },
  // A reported commit is on disk: in WAL mode too, and in other modes including the removal of its journal.
  write: { once: [...EVERY_CONNECTION, "synchronous = EXTRA"], always: WRITING },
  memory: { once: EVERY_CONNECTION, always: WRITING },
};

/** Pragmas that may be read as tables: they describe the schema. SQLite itself uses the checks for ALTER TABLE. */
const ALLOWED = new Set([
  "table_info",
  "table_xinfo",
  "table_list",
  "index_list",
  "index_info",
  "index_xinfo",
  "foreign_key_list",
  "foreign_key_check",
  "collation_list",
  "function_list",
  "compile_options",
  "integrity_check",
  "quick_check",
  "page_count",
  "page_size",
  "freelist_count",
  "encoding",
  "user_version",
  "application_id",
]);

/**
 * SQLite makes a table of each pragma that is asked for by name, `SELECT * FROM pragma_optimize`, unless a table of that
 * name exists already. So the names of the others are taken here, in every spelling.
 */
export function refusePragmas(database: Database): void {
  for (const { name } of database.pragma("pragma_list") as { name: string }[]) {
    if (ALLOWED.has(name)) continue;
    database.table(`pragma_${name}`, {
      columns: ["refused"],
      // oxlint-disable-next-line require-yield -- a table is a generator, and this one has nothing to give
      *rows() {
        throw new Fault("permission_denied", `pragma_${name} is refused.`, {
          hint: "These describe the schema: pragma_table_info, pragma_index_list, pragma_foreign_key_list, pragma_foreign_key_check, pragma_table_list.",
        });
      },
    });
  }
}
