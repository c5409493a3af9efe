import type { Database } from "better-sqlite3";
import { Fault } from "@suite/server-kit/domain";

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
 * name is there already. So the others are taken, and no spelling of the name leads around that.
 */
export function refusePragmas(database: Database): void {
  for (const { name } of database.pragma("pragma_list") as { name: string }[]) {
    if (ALLOWED.has(name)) continue;
    database.table(`pragma_${name}`, {
      columns: ["refused"],
      // oxlint-disable-next-line require-yield -- a table is a generator, and this one has nothing to give
      *rows() {
        throw new Fault("permission_denied", `pragma_${name} is refused.`, {
          hint: "These describe the schema: pragma_table_info, pragma_index_list, pragma_foreign_key_list, pragma_table_list.",
        });
      },
    });
  }
}
