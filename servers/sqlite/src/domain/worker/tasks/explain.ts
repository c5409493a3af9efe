import { createLookup, readerOf } from "../lookup.ts";
import { inSnapshot } from "../query.ts";
import { toStatementFault } from "../statement-error.ts";
import type { TaskContext } from "../task.ts";
import type { DatabaseConnection, Row } from "../connection.ts";
import type { AdmittedStatement } from "../../sql-policy/admit.ts";
import { keywordOf, nameOf, type Token } from "../../sql-policy/tokens.ts";
import { type Binding, toBinding } from "../../values/params.ts";
import { countingTime, countRows, findTable } from "../tables.ts";
import type { ExplainArgs, PlanStep, QueryPlan } from "../../protocol/tasks.ts";

export function explainTask({ sql, params }: ExplainArgs, { pool }: TaskContext): QueryPlan {
  const admitted = pool.admit(sql, "explain");
  try {
    // A plan needs no values: NULL stands for those that are not given.
    const binding = toBinding(admitted.slots, params ?? admitted.slots.map(() => null));
    return inSnapshot(pool, (connection) => toPlan(connection, admitted, binding));
  } catch (thrown) {
    throw toStatementFault(thrown, sql, createLookup(readerOf(pool)));
  }
}

function toPlan(connection: DatabaseConnection, admitted: AdmittedStatement, binding: Binding): QueryPlan {
  const rows = connection.plan(admitted, binding);
  const details = rows.map((row) => String(row[3]));
  const opened = connection.tablesOpened(admitted, binding);
  const aliased = findAliased(admitted.tokens);
  const scanned = [...new Set(details.flatMap((detail) => SCAN.exec(detail)?.[1] ?? []))].flatMap((alias) => {
    // A name that is not an alias is the table's own.
    const names = [...(aliased.get(alias) ?? []), alias];
    const table = names.map((name) => findTable(connection, name)).find((found) => found !== undefined);
    return table && opened.has(table.name) ? [table] : [];
  });
  const tables = new Map(scanned.map((table) => [table.name, table]));
  const until = countingTime();
  return {
    steps: toTree(rows),
    full_scans: [...tables.values()].map((table) => ({
      table: table.name,
      ...countRows(connection, table, until),
    })),
    sorts: details.filter((detail) => detail.startsWith("USE TEMP B-TREE")),
    automatic_indexes: details.filter((detail) => detail.includes(" USING AUTOMATIC ")),
  };
}

/** A plan names a table by its alias, and may add how it is read. */
const SCAN = /^SCAN (?:main\.)?(.+?)(?: USING .*| VIRTUAL TABLE .*| (?:LEFT|RIGHT)-JOIN| EXISTS)*$/s;

/** For each possible alias, the names before it, as in `table alias` or `table AS alias`. */
function findAliased(tokens: readonly Token[]): ReadonlyMap<string, ReadonlySet<string>> {
  const aliased = new Map<string, Set<string>>();
  for (const [at, token] of tokens.entries()) {
    const alias = nameOf(token);
    const table = nameOf(tokens[keywordOf(tokens[at - 1]) === "AS" ? at - 2 : at - 1]);
    if (alias === undefined || table === undefined) continue;
    aliased.set(alias, (aliased.get(alias) ?? new Set()).add(table));
  }
  return aliased;
}

const ROOT = "0";

function toTree(rows: readonly Row[]): PlanStep[] {
  const byParent = new Map<string, Row[]>();
  for (const row of rows) byParent.set(String(row[1]), [...(byParent.get(String(row[1])) ?? []), row]);
  const toSteps = (parent: string): PlanStep[] =>
    (byParent.get(parent) ?? []).map((row) => ({ detail: String(row[3]), steps: toSteps(String(row[0])) }));
  return toSteps(ROOT);
}
