import type { SqlValue } from "../values/cell.ts";
import { type Affinity, isAmbiguous, toRealText } from "./field.ts";
import type { Format } from "./format.ts";

/** Renders rows as lines of a file, so that an import restores the same values. */
export interface RecordRenderer {
  head(): string;
  row(values: readonly SqlValue[]): string;
}

/** `affinities` are known for rows of a table: they determine how an import converts values. */
export function createRenderer(
  format: Format,
  names: readonly string[],
  affinities: readonly Affinity[] = [],
): RecordRenderer {
  if (format === "csv") {
    return {
      head: () => toCsvRecord(names.map(toCsvText)),
      row: (values) => toCsvRecord(values.map(toCsvField)),
    };
  }
  if (format === "md") {
    return {
      head: () => toMarkdownRow(names.map(toMarkdownText)) + toMarkdownRow(names.map(() => "---")),
      row: (values) =>
        toMarkdownRow(
          values.map((value) => (typeof value === "string" ? toMarkdownText(value) : toCsvField(value))),
        ),
    };
  }
  const keys = names.map((name) => `${JSON.stringify(name)}:`);
  return {
    head: () => "",
    row: (values) =>
      `{${values.map((value, at) => `${keys[at]}${toJson(value, affinities[at])}`).join(",")}}\n`,
  };
}

const toMarkdownRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

const toMarkdownText = (text: string): string =>
  text
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replaceAll(/\r\n|\r|\n/g, "<br>");

const toCsvRecord = (fields: readonly string[]): string => `${fields.join(",")}\r\n`;

function toCsvField(value: SqlValue): string {
  if (value === null) return "";
  if (typeof value === "string") return toCsvText(value);
  if (typeof value === "bigint") return String(value);
  return typeof value === "number" ? toRealText(value) : `X'${value.toString("hex")}'`;
}

/** Quoted if it could be read as another type, or could make an import guess another dialect. */
const toCsvText = (text: string): string =>
  text === "" || /["',;|\t\r\n]|^\s|\s$/.test(text) || isAmbiguous(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;

function toJson(value: SqlValue, affinity: Affinity | undefined): string {
  if (value === null || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? String(value) : `{"$int":"${value}"}`;
  }
  if (typeof value !== "number") return `{"$blob":"${value.toString("base64")}"}`;
  if (!Number.isFinite(value)) return `{"$real":"${value}"}`;
  // Many JSON tools, including Node, turn -0 into 0.
  if (Object.is(value, -0)) return '{"$real":"-0.0"}';
  // Readers with a single number type take 1.0 for an integer, and a column without affinity would store it as one.
  const isRealOnly = affinity === "NONE" && Number.isInteger(value);
  return isRealOnly ? `{"$real":${toRealText(value)}}` : toRealText(value);
}
