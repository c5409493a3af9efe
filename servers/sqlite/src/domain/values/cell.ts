import { reveal, shownSize } from "@suite/server-kit/domain";

/**
 * A value of a database as JSON can carry it without loss. Integers are numbers up to 2^53 and `$int` beyond, so that no
 * digit is lost; infinite reals, and those that look like such an integer, are `$real`; text with characters that cannot be
 * seen is `$escaped`; what was cut says so, with its whole size in bytes. All but the last can be given back as parameters.
 */
export type Cell =
  | null
  | number
  | string
  | { readonly $int: string }
  | { readonly $real: string }
  | { readonly $escaped: string }
  | { readonly $blob: string; readonly bytes: number; readonly truncated?: true }
  | { readonly $text: string; readonly bytes: number; readonly truncated: true };

/** As better-sqlite3 gives and takes them, with safe integers. */
export type SqlValue = null | number | bigint | string | Buffer;

export interface Column {
  readonly name: string;
  /** As declared for the table's column; null for an expression. */
  readonly type: string | null;
  /** Some text here had bytes that are not UTF-8, or the replacement character: only CAST(… AS BLOB) shows which. */
  readonly inexact?: true;
}

export function toCell(value: SqlValue, maxBytes: number): Cell {
  if (typeof value === "string") return toText(value, maxBytes);
  if (typeof value === "bigint") return toInteger(value);
  if (typeof value === "number")
    return Number.isFinite(value) && !mayBeRounded(value) ? value : { $real: String(value) };
  return value === null ? null : toBlob(value, maxBytes);
}

/** JSON rounds several 64-bit integers to such a number, so the one that was meant is unknown. */
export const mayBeRounded = (number: number): boolean =>
  Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) <= 2 ** 63;

export const has64Bits = (integer: bigint): boolean => BigInt.asIntN(64, integer) === integer;

export function toInteger(value: bigint): number | { $int: string } {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : { $int: String(value) };
}

/** Results show hidden characters as escapes, which in plain text would be taken literally when it is passed back. */
function toWhole(text: string): Cell {
  return reveal(text) === text ? text : { $escaped: reveal(text.replaceAll("\\", "\\\\")) };
}

/** Undefined if it is not valid in `$escaped`: a backslash must be doubled, or begin `\u{…}`. */
export function fromEscaped(escaped: string): string | undefined {
  if (!/^(?:[^\\]|\\\\|\\u\{(?:10|[0-9A-F])?[0-9A-F]{1,4}\})*$/su.test(escaped)) return undefined;
  return escaped.replace(/\\(?:\\|u\{([0-9A-F]+)\})/g, (_, digits?: string) =>
    digits === undefined ? "\\" : String.fromCodePoint(Number.parseInt(digits, 16)),
  );
}

function toText(text: string, maxBytes: number): Cell {
  // A UTF-16 unit takes at most three bytes: most text need not be measured.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) {
    const whole = toWhole(text);
    if (typeof whole === "string" || shownSize(whole) <= maxBytes) return whole;
  }
  const encoded = Buffer.from(text);
  return { $text: cutText(encoded, maxBytes), bytes: encoded.length, truncated: true };
}

/** Cut so that it fits once it is shown: a hidden character then takes eight bytes. */
function cutText(encoded: Buffer, maxBytes: number): string {
  const text = encoded.toString("utf8", 0, characterStart(encoded, maxBytes));
  const shown = Buffer.byteLength(reveal(text));
  return shown <= maxBytes
    ? text
    : encoded.toString("utf8", 0, characterStart(encoded, Math.floor(maxBytes ** 2 / (2 * shown))));
}

/** The last place at or before `end` where a character begins. */
function characterStart(encoded: Buffer, end: number): number {
  let at = end;
  while (at > 0 && ((encoded[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

function toBlob(blob: Buffer, maxBytes: number): Cell {
  if (blob.length <= maxBytes) return { $blob: blob.toString("base64"), bytes: blob.length };
  return { $blob: blob.toString("base64", 0, maxBytes), bytes: blob.length, truncated: true };
}

/** Whether only a part of the value is there. */
export const isCut = (cell: unknown): boolean =>
  typeof cell === "object" && cell !== null && "truncated" in cell;

/** Its size in the longer of the two views: as JSON, or in a table, where a bar takes two characters. */
export function sizeOf(cell: Cell): number {
  if (typeof cell === "number") return String(cell).length + SEPARATOR;
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  const bars = text.split("|").length - 1;
  return shownSize(cell) + bars + SEPARATOR;
}

const SEPARATOR = 3;
