import { Fault } from "@suite/server-kit/domain";
import type { SqlValue } from "../values/cell.ts";
import { type Param, toSqlValue } from "../values/params.ts";
import type { Affinity } from "./affinity.ts";

/** A value of a file: as JSON has it, or as CSV has it without quotes, which could be several things. */
export type Field = Param | { readonly $bare: string };

/** Rows with the same columns. */
export interface RowGroup {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Field[])[];
}

/** Text that can be taken for something else: a number, or a blob as SQL writes it. */
export const isAmbiguous = (text: string): boolean => /^(?:[-+.\d]|x')/i.test(text);

const BLOB = /^x'((?:[0-9a-f]{2})*)'$/i;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/**
 * The value that a column is to be given. Text columns keep bare fields as they are written; elsewhere what is written as
 * this server writes numbers is one. The rest is SQLite's to convert.
 */
export function toStoredValue(field: Field, affinity: Affinity, column: string): SqlValue {
  if (typeof field !== "object" || field === null) return toSqlValue(field, column);
  if (!("$bare" in field)) return toSqlValue(requireForm(field, column), column);
  const text = field.$bare;
  const hex = BLOB.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex");
  if (affinity === "TEXT") return text;
  if (INTEGER.test(text)) return toInteger(text, affinity, column);
  return toRealText(Number(text)) === text ? Number(text) : text;
}

/** A file may have any JSON in it. */
function requireForm<T extends object>(field: T, column: string): T {
  const [[form, value] = ["", undefined]] = Object.entries(field);
  const isForm = /^\$(int|real|escaped|blob)$/.test(form) && (typeof value === "string" || form === "$real");
  if (isForm) return field;
  throw new Fault("invalid_input", `${column} cannot hold ${JSON.stringify(field).slice(0, 80)}.`, {
    hint: 'JSON in a column is text: give it as a string. Exact values are {"$int": "…"}, {"$real": "…"}, {"$blob": "base64"}.',
  });
}

function toInteger(text: string, affinity: Affinity, column: string): SqlValue {
  const integer = BigInt(text);
  if (integer >= LEAST && integer <= MOST) return integer;
  if (affinity === "NONE") return text;
  // SQLite would make it a real, and lose digits.
  throw new Fault(
    "invalid_input",
    `${text.slice(0, 80)} has too many digits for ${column}: integers have 64 bits.`,
  );
}

/** So that it reads back as a real, to the last digit. A number beyond all others is how SQL writes infinity. */
export function toRealText(real: number): string {
  if (!Number.isFinite(real)) return real > 0 ? "9e999" : real < 0 ? "-9e999" : "";
  const text = Object.is(real, -0) ? "-0" : String(real);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
