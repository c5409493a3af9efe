import { createLookup, readerOf } from "../lookup.ts";
import { inSnapshot } from "../query.ts";
import { toStatementFault } from "../statement-error.ts";
import type { TaskContext } from "../task.ts";
import type { Connection, Row } from "../connection.ts";
import type { Token } from "../../gate/tokens.ts";
import { type Params, toBinding } from "../../values/params.ts";
import { suggestIndexes } from "./plan/advice.ts";
import { createCatalog } from "./plan/catalog.ts";
import { clausesOf } from "./plan/clauses.ts";
import { findComparisons, hasAlternatives } from "./plan/comparisons.ts";
import { findAutomaticIndexes, findScans } from "./plan/scans.ts";
import { findSources } from "./plan/sources.ts";

export interface ExplainArgs {
  readonly sql: string;
  readonly params?: Params;
}

export interface PlanStep {
  readonly detail: string;
  readonly steps: readonly PlanStep[];
}

export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Tables that are read from end to end. */
  readonly full_scans: readonly string[];
  /** What SQLite has to sort or gather on its own, for lack of an index in that order. */
  readonly sorts: readonly string[];
  readonly suggestions: readonly string[];
}

export function explainTask({ sql, params }: ExplainArgs, { session }: TaskContext): Plan {
  const admitted = session.admit(sql, "explain");
  try {
    // A plan depends on the text; values are wanted only where they were given.
    const binding = toBinding(admitted.slots, params ?? admitted.slots.map(() => null));
    return inSnapshot(session, (connection) =>
      toPlan(connection, connection.plan(admitted, binding), admitted.tokens),
    );
  } catch (thrown) {
    throw toStatementFault(thrown, sql, createLookup(readerOf(session)));
  }
}

function toPlan(connection: Connection, rows: readonly Row[], tokens: readonly Token[]): Plan {
  const catalog = createCatalog(connection);
  const clauses = clausesOf(tokens);
  const sources = findSources(tokens, clauses, catalog.tableOf);
  const scans = findScans(rows, sources, catalog.tableOf);
  const findings = {
    scans,
    sources,
    automatic: findAutomaticIndexes(rows, sources, catalog.tableOf),
    comparisons: findComparisons(tokens, clauses),
    hasAlternatives: hasAlternatives(tokens, clauses),
  };
  return {
    steps: toTree(rows),
    full_scans: [...new Set(scans.map(({ table }) => table))],
    sorts: rows.map((row) => String(row[3])).filter((detail) => detail.startsWith("USE TEMP B-TREE")),
    suggestions: suggestIndexes(findings, catalog),
  };
}

const ROOT = "0";

function toTree(rows: readonly Row[]): PlanStep[] {
  const byParent = new Map<string, Row[]>();
  for (const row of rows) byParent.set(String(row[1]), [...(byParent.get(String(row[1])) ?? []), row]);
  const toSteps = (parent: string): PlanStep[] =>
    (byParent.get(parent) ?? []).map((row) => ({ detail: String(row[3]), steps: toSteps(String(row[0])) }));
  return toSteps(ROOT);
}
