import { Fault } from "@suite/server-kit/domain";
import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { keywordOf, nameOf, quoteName } from "../sql-policy/tokens.ts";
import { citeAll } from "../values/cite.ts";
import type { DatabaseConnection } from "./connection.ts";
import { findTable } from "./tables.ts";

/** The rows that go with a table. Asked before it is dropped. */
export function countDropped(
  connection: DatabaseConnection,
  { verb, tokens, verbAt }: AdmittedStatement,
): number | undefined {
  const name = nameOf(tokens.at(-1));
  if (verb !== "DROP" || keywordOf(tokens[verbAt + 1]) !== "TABLE" || name === undefined) return undefined;
  const table = findTable(connection, name);
  if (table?.kind !== "table") return undefined;
  return Number(connection.value(`SELECT count(*) FROM main.${quoteName(table.name)}`));
}

const MOST_TABLES = 10;
/** Keys of other tables whose rows are deleted or changed with those that they point to, and which rows do. */
const FOLLOWING = `
  SELECT t.name, group_concat(printf('"%w" IS NOT NULL', k."from"), ' AND ')
  FROM sqlite_schema t, temp.pragma_foreign_key_list(t.name) k
  WHERE t.type = 'table' AND k."table" = ? COLLATE NOCASE AND t.name <> ? COLLATE NOCASE
    AND k.on_delete NOT IN ('NO ACTION', 'RESTRICT')
  GROUP BY t.name, k.id`;

/** Other tables with rows that would go or change with a table. Asked before it is dropped: then nothing points to it. */
export function findFollowing(
  connection: DatabaseConnection,
  { verb, tokens }: AdmittedStatement,
): readonly string[] {
  if (verb !== "DROP") return [];
  const table = nameOf(tokens.at(-1)) ?? "";
  const keys = connection
    .own(FOLLOWING)
    .all(table, table)
    .map((key) => key.map(String));
  const hasRows = ([name = "", condition]: readonly string[]): boolean =>
    connection.value(`SELECT 1 FROM ${quoteName(name)} WHERE ${condition} LIMIT 1`) !== undefined;
  return [...new Set(keys.filter(hasRows).map(([name = ""]) => name))];
}

/** SQLite deletes the rows of a table before it drops it, and foreign keys pass that on to other tables. */
export function checkDropped(following: readonly string[], furtherChanges: number): void {
  // Without any, all changes are to rows of the table itself. With some, SQLite counts both together.
  if (following.length === 0 || furtherChanges === 0) return;
  throw new Fault(
    "conflict",
    `It would also delete or change rows of other tables by foreign keys (those of ${citeAll(following, MOST_TABLES)} point to it). Nothing was changed.`,
    {
      hint: "Use ALTER TABLE to change the table. To drop it, first delete its rows with write_query: dry_run counts those that go with them.",
      details: { tables: following.slice(0, MOST_TABLES) },
    },
  );
}
