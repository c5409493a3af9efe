import { countOf } from "@suite/server-kit/domain";
import type { RowPage } from "./protocol/statements.ts";
import type { Cell } from "./values/cell.ts";
import type { ColumnInfo, ForeignKey, FullScan, IndexInfo, PlanStep, TableInfo } from "./protocol/tasks.ts";

/** Rows for a model: one per line, with bars between columns. NULL and an empty text look different. */
export function renderTable({ columns, rows }: Pick<RowPage, "columns" | "rows">): string {
  const head = columns.map(({ name }) => toField(name)).join(" | ");
  return [head, ...rows.map((row) => row.map(renderCell).join(" | "))].join("\n");
}

export function renderCell(cell: Cell): string {
  if (cell === null) return "NULL";
  if (typeof cell === "number") return String(cell);
  if (typeof cell === "string") return renderText(cell);
  if ("$int" in cell) return cell.$int;
  if ("$real" in cell) return cell.$real;
  if ("$escaped" in cell) return JSON.stringify(cell);
  if ("$text" in cell) return `${quote(cell.$text)}… (${countOf(cell.bytes, "byte")})`;
  return "truncated" in cell
    ? `(blob of ${countOf(cell.bytes, "byte")}: ${cell.$blob}…)`
    : JSON.stringify({ $blob: cell.$blob });
}

/** Text that could be taken for another value is quoted. */
const AMBIGUOUS = /^(?:NULL|-?Infinity|[+-]?[\d.].*|\s.*|.*\s|".*|\(.*|\{"\$.*|)$/s;

function renderText(text: string): string {
  return AMBIGUOUS.test(text) ? quote(text) : toField(text);
}

const quote = (text: string): string => `"${toField(text).replaceAll('"', '\\"')}"`;

/** Counts views apart from tables. */
export function countTables(tables: readonly { readonly kind: string }[]): string {
  const views = tables.filter(({ kind }) => kind === "view").length;
  const counted = [
    ...(tables.length > views || views === 0 ? [countOf(tables.length - views, "table")] : []),
    ...(views > 0 ? [countOf(views, "view")] : []),
  ];
  return counted.join(", ");
}

/** Escapes line breaks, which would look like a new row. */
export const toLine = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");

/** Escapes bars too, which would look like a new column. Most cells need none of it, and a page has many. */
const toField = (text: string): string =>
  /[\\\n\r|]/.test(text) ? toLine(text).replaceAll("|", "\\|") : text;

export interface RenderedPlan {
  readonly plan: readonly PlanStep[];
  readonly full_scans: readonly FullScan[];
  readonly automatic_indexes?: readonly string[];
}

/** A plan as a tree, then its full scans and automatic indexes. */
export function renderPlan({ plan, full_scans: scans, automatic_indexes: built = [] }: RenderedPlan): string {
  return [
    ...plan.flatMap((step) => renderStep(step, 0)),
    ...scans.map((scan) => `Full scan of ${toLine(scan.table)}${renderCount(scan)}`),
    ...built.map((detail) => `Builds an index first: ${toLine(detail)}`),
  ].join("\n");
}

const renderCount = ({ rows, more }: Pick<FullScan, "rows" | "more">): string =>
  rows === undefined ? "" : ` (${more ? `${rows}+ rows` : countOf(rows, "row")})`;

const renderStep = ({ detail, steps = [] }: PlanStep, depth: number): string[] => [
  `${"  ".repeat(depth)}${toLine(detail)}`,
  ...steps.flatMap((step) => renderStep(step, depth + 1)),
];

type Lists = Pick<TableInfo, "checks" | "indexes" | "foreign_keys" | "triggers">;

/** A table as results have it: without empty lists, and without SQL that repeats its other fields. */
export interface DescribedTable extends Omit<TableInfo, keyof Lists | "sample">, Partial<Lists> {
  /** Rows, with the columns that are not hidden. */
  readonly sample?: RowPage["rows"];
}

export function toDescribed(table: TableInfo): DescribedTable {
  const { sql, checks, indexes, foreign_keys, triggers, sample, ...facts } = table;
  return {
    ...facts,
    ...(checks.length > 0 && { checks }),
    ...(indexes.length > 0 && { indexes }),
    ...(foreign_keys.length > 0 && { foreign_keys }),
    ...(triggers.length > 0 && { triggers }),
    ...(sql !== undefined && table.kind !== "table" && { sql }),
    ...(sample && sample.rows.length > 0 && { sample: sample.rows }),
  };
}

export function renderDescribed({ sample, ...table }: DescribedTable): string {
  const columns = table.columns.filter(({ hidden }) => !hidden);
  const rows = sample ? ["sample:", renderTable({ columns, rows: sample })] : [];
  return [renderDefinition(table), ...rows].join("\n");
}

/** A table in a few lines: shorter than its SQL, with row count and indexes. */
export function renderDefinition(definition: Omit<DescribedTable, "kind" | "sample">): string {
  const { name, options = "", broken, sql, columns, checks = [], indexes = [] } = definition;
  const { foreign_keys: keys = [], triggers = [] } = definition;
  const hasLongKey = columns.some(({ primary_key: key }) => key === 2);
  return [
    `${toLine(name)}${renderCount(definition)} ${options}`.trimEnd(),
    ...(broken === undefined ? [] : [`cannot be used: ${toLine(broken)}`]),
    ...columns.map((column) => `  ${renderColumn(column, hasLongKey)}`),
    ...checks.map((check) => `check (${toLine(check)})`),
    ...indexes.map(renderIndex),
    ...keys.map(renderKey),
    ...triggers.map((trigger) => toLine(trigger.sql)),
    ...(sql === undefined ? [] : [toLine(sql)]),
  ].join("\n");
}

/** In a key of several columns, each says which it is. */
function renderColumn(column: ColumnInfo, isPart: boolean): string {
  const facts = [
    column.type,
    column.primary_key === undefined ? "" : `primary key${isPart ? ` ${column.primary_key}` : ""}`,
    column.not_null ? "not null" : "",
    column.default === undefined ? "" : `default ${column.default}`,
    column.collate === undefined ? "" : `collate ${column.collate}`,
    column.generated === undefined ? "" : `generated ${column.generated}`,
    column.hidden ? "hidden" : "",
  ];
  return [column.name, ...facts.filter((fact) => fact !== "")].map(toLine).join(" ");
}

function renderIndex({ name, unique, columns, where }: IndexInfo): string {
  const condition = where === undefined ? "" : ` where ${toLine(where)}`;
  const what = [...(name === undefined ? [] : ["index", toLine(name)]), ...(unique ? ["unique"] : [])];
  return `${what.join(" ")} (${renderNames(columns)})${condition}`;
}

function renderKey({ columns, table, references = [], on_update, on_delete }: ForeignKey): string {
  const target = `${toLine(table)} (${renderNames(references) || "primary key"})`;
  const onUpdate = on_update === undefined ? "" : `, on update ${on_update.toLowerCase()}`;
  const onDelete = on_delete === undefined ? "" : `, on delete ${on_delete.toLowerCase()}`;
  return `foreign key (${renderNames(columns)}) -> ${target}${onUpdate}${onDelete}`;
}

const renderNames = (names: readonly string[]): string => names.map(toLine).join(", ");
