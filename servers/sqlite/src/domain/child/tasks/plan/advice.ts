import { quoteName } from "../../../gate/tokens.ts";
import type { Catalog } from "./catalog.ts";
import type { Comparison } from "./comparisons.ts";
import type { AutomaticIndex, Scan } from "./scans.ts";
import type { Source } from "./sources.ts";

export interface Findings {
  readonly scans: readonly Scan[];
  readonly automatic: readonly AutomaticIndex[];
  readonly sources: readonly Source[];
  readonly comparisons: readonly Comparison[];
  /** Where one of several conditions is enough, an index on all of them is of no use. */
  readonly hasAlternatives: boolean;
}

const MOST_COLUMNS = 3;
const MOST_SUGGESTIONS = 10;

/** Statements that would make indexes which could help: ideas, not promises. */
export function suggestIndexes(findings: Findings, catalog: Catalog): readonly string[] {
  const wanted = [
    ...findings.automatic,
    ...findings.scans.flatMap((scan) =>
      indexesFor(scan, findings, catalog).map((columns) => ({ table: scan.table, columns })),
    ),
  ];
  const missing = wanted.filter(({ table, columns }) => !catalog.isIndexed(table, columns));
  return [...new Set(missing.map(toStatement))].slice(0, MOST_SUGGESTIONS);
}

function indexesFor(scan: Scan, findings: Findings, catalog: Catalog): readonly (readonly string[])[] {
  if (scan.isNamed) return toIndexes(columnsFor(scan, findings, catalog), findings.hasAlternatives);
  // Where rows go that others point to, those are looked for.
  const targets = new Set(findings.sources.map(({ table = "" }) => table.toLowerCase()));
  return catalog.keysTo(scan.table, targets);
}

interface Candidate extends Pick<Comparison, "kind"> {
  readonly column: string;
}

/** What is compared with a column elsewhere helps only where this table is looked into again and again. */
function columnsFor(scan: Scan, { comparisons, sources }: Findings, catalog: Catalog): readonly Candidate[] {
  return comparisons
    .filter(
      (comparison) => (scan.isRepeated || !comparison.joins) && isAbout(comparison, scan, sources, catalog),
    )
    .flatMap(({ column: given, kind }) => {
      const column = catalog.columnOf(scan.table, given);
      return column === undefined || catalog.isKey(scan.table, column) ? [] : [{ column, kind }];
    });
}

function isAbout(
  { qualifier, column, isShared }: Comparison,
  scan: Scan,
  sources: readonly Source[],
  catalog: Catalog,
): boolean {
  if (qualifier !== undefined) return qualifier.toLowerCase() === scan.alias.toLowerCase();
  const owners = sources.filter(
    ({ table }) => table !== undefined && catalog.columnOf(table, column) !== undefined,
  );
  return isShared === true || owners.every(({ alias }) => alias === scan.alias);
}

/** Those that must be equal first, and at most one range: behind it an index is in no useful order. */
function toIndexes(candidates: readonly Candidate[], areApart: boolean): readonly (readonly string[])[] {
  const namesOf = (kind: Comparison["kind"]): string[] =>
    candidates.filter((candidate) => candidate.kind === kind).map(({ column }) => column);
  const equal = [...new Set(namesOf("equal"))];
  const range = namesOf("range").filter((column) => !equal.includes(column));
  if (areApart) return [...new Set([...equal, ...range])].map((column) => [column]);
  const columns = [...equal, ...range.slice(0, 1)].slice(0, MOST_COLUMNS);
  return columns.length === 0 ? [] : [columns];
}

function toStatement({ table, columns }: AutomaticIndex): string {
  const name = quoteName([table, ...columns].join("_"));
  return `CREATE INDEX ${name} ON ${quoteName(table)} (${columns.map(quoteName).join(", ")})`;
}
