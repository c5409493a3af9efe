import type { Row } from "../../connection.ts";
import type { Source } from "./sources.ts";

interface TableSource extends Source {
  readonly table: string;
  /** The statement itself says its name: it was not found behind a view, a trigger or a key. */
  readonly isNamed: boolean;
}

/** A table that is read from end to end. */
export interface Scan extends TableSource {
  /** Once for every row of what is read before it. */
  readonly isRepeated: boolean;
}

/** Where SQLite makes an index for this one run. */
export interface AutomaticIndex {
  readonly table: string;
  readonly columns: readonly string[];
}

const isLoop = (detail: string): boolean => /^(SCAN|SEARCH) /.test(detail);

const detailOf = (row: Row): string => String(row[3]);

export function findScans(
  plan: readonly Row[],
  sources: readonly Source[],
  tableOf: (name: string) => string | undefined,
): readonly Scan[] {
  return plan.flatMap((row, at) => {
    const source = detailOf(row).startsWith("SCAN ") ? sourceOf(detailOf(row), sources, tableOf) : undefined;
    if (!source) return [];
    const isRepeated = plan.slice(0, at).some((other) => other[1] === row[1] && isLoop(detailOf(other)));
    return [{ ...source, isRepeated }];
  });
}

export function findAutomaticIndexes(
  plan: readonly Row[],
  sources: readonly Source[],
  tableOf: (name: string) => string | undefined,
): readonly AutomaticIndex[] {
  return plan.flatMap((row) => {
    const columns = / USING AUTOMATIC .*INDEX \((.*)\)/.exec(detailOf(row))?.[1];
    const table = columns === undefined ? undefined : sourceOf(detailOf(row), sources, tableOf)?.table;
    if (columns === undefined || table === undefined) return [];
    return [{ table, columns: columns.split(" AND ").map((part) => part.replace(/[=<>].*$/, "")) }];
  });
}

/** A plan says aliases, without quotes: one with spaces is found by what the statement calls its tables. */
function sourceOf(
  detail: string,
  sources: readonly Source[],
  tableOf: (name: string) => string | undefined,
): TableSource | undefined {
  const rest = detail.replace(/^\S+ (main\.)?/, "");
  const called = sources.filter(({ alias }) => rest === alias || rest.startsWith(`${alias} `));
  const [longest] = called.toSorted((one, other) => other.alias.length - one.alias.length);
  if (longest) {
    const { alias, table } = longest;
    const isClear = called.every((other) => other.alias !== alias || other.table === table);
    return isClear && table !== undefined ? { alias, table, isNamed: true } : undefined;
  }
  const name = rest.split(" ")[0] ?? "";
  const table = tableOf(name);
  return table === undefined ? undefined : { alias: name, table, isNamed: false };
}
