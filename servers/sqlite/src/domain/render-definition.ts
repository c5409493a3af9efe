import { toLine } from "./render.ts";
import type { ColumnInfo } from "./worker/tasks/describe.ts";
import type { ForeignKey, IndexInfo } from "./worker/tasks/keys.ts";

export interface Definition {
  readonly name: string;
  readonly rows?: number;
  readonly more?: true;
  readonly broken?: string;
  readonly sql?: string;
  readonly columns: readonly ColumnInfo[];
  readonly checks?: readonly string[];
  readonly indexes?: readonly IndexInfo[];
  readonly foreign_keys?: readonly ForeignKey[];
  readonly triggers?: readonly { readonly name: string; readonly sql: string }[];
}

/** A table in a few lines: shorter than its SQL, and with what the SQL does not say. */
export function renderDefinition(definition: Definition): string {
  const { name, rows, more, broken, sql, columns, checks = [], indexes = [] } = definition;
  const { foreign_keys: keys = [], triggers = [] } = definition;
  const counted = rows === undefined ? "" : ` (${rows}${more ? "+" : ""} rows)`;
  return [
    `${toLine(name)}${counted}`,
    ...(broken === undefined ? [] : [`cannot be used: ${toLine(broken)}`]),
    ...columns.map((column) => `  ${renderColumn(column)}`),
    ...checks.map((check) => `check (${toLine(check)})`),
    ...indexes.map(renderIndex),
    ...keys.map(renderKey),
    ...triggers.map((trigger) => toLine(trigger.sql)),
    ...(sql === undefined ? [] : [toLine(sql)]),
  ].join("\n");
}

function renderColumn(column: ColumnInfo): string {
  const facts = [
    column.type,
    column.primary_key === undefined ? "" : "primary key",
    column.not_null ? "not null" : "",
    column.default === undefined ? "" : `default ${column.default}`,
    column.generated === undefined ? "" : `generated ${column.generated}`,
    column.hidden ? "hidden" : "",
  ];
  return [column.name, ...facts.filter((fact) => fact !== "")].map(toLine).join(" ");
}

function renderIndex({ name, unique, partial, columns }: IndexInfo): string {
  const kind = `${unique ? " unique" : ""}${partial ? " partial" : ""}`;
  return `index ${toLine(name)}${kind} (${renderNames(columns.map((column) => column ?? "expression"))})`;
}

function renderKey({ columns, table, references, on_delete: onDelete }: ForeignKey): string {
  const target = `${toLine(table)} (${renderNames(references) || "primary key"})`;
  return `foreign key (${renderNames(columns)}) -> ${target}, on delete ${onDelete.toLowerCase()}`;
}

const renderNames = (names: readonly string[]): string => names.map(toLine).join(", ");
