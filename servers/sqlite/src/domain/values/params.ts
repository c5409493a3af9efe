import { countOf, Fault, suggest } from "@suite/server-kit/domain";
import type { Slots } from "../sql-policy/slots.ts";
import { fromEscaped, has64Bits, type SqlValue } from "./cell.ts";

/** A value to bind, in JSON. The forms with `$` are those that results have, so that a cell can be given back. */
export type Param =
  | null
  | boolean
  | number
  | string
  | { readonly $int: string }
  | { readonly $real: string | number }
  | { readonly $escaped: string }
  | { readonly $blob: string };

/** By position, or by name with or without its `:`, `@` or `$`. */
export type SqlParams = readonly Param[] | { readonly [name: string]: Param };

/** What better-sqlite3 binds: anonymous parameters in order, then the rest by name. */
export type Binding = readonly [anonymous: readonly SqlValue[], named: { readonly [name: string]: SqlValue }];

const NOTHING: Binding = [[], {}];

/** Throws unless there is exactly one value for each parameter. */
export function toBinding(slots: Slots, params: SqlParams = []): Binding {
  const given = Array.isArray(params) ? params.length : Object.keys(params).length;
  if (slots.length === 0 && given === 0) return NOTHING;
  const values = Array.isArray(params)
    ? byPosition(slots, params as readonly Param[])
    : byName(slots, params as { readonly [name: string]: Param });
  const anonymous = values.filter((_, at) => slots[at] === undefined);
  const named = slots.flatMap((name, at) =>
    name === undefined ? [] : [[name.slice(1), values[at] ?? null] as const],
  );
  return [anonymous, Object.fromEntries(named)];
}

function byPosition(slots: Slots, params: readonly Param[]): SqlValue[] {
  if (params.length !== slots.length) {
    throw new Fault(
      "invalid_input",
      `The statement takes ${countOf(slots.length, "parameter")}, ${countOf(params.length, "was", "were")} given.`,
      { hint: "Each ? or :name outside quotes takes one." },
    );
  }
  return params.map((param, at) => toSqlValue(param, `parameter ${at + 1}`));
}

function byName(slots: Slots, params: { readonly [name: string]: Param }): SqlValue[] {
  const values = new Map(Object.entries(params).map(([name, value]) => [name.replace(/^[:@$?]/, ""), value]));
  const known = new Set(slots.map((slot) => slot?.slice(1)));
  if (known.has(undefined)) {
    throw new Fault("invalid_input", "The statement has parameters without a name.", {
      hint: "Give params as a list.",
    });
  }
  for (const name of values.keys()) {
    if (known.has(name)) continue;
    const meant = suggest(
      name,
      [...known].filter((slot) => slot !== undefined),
    );
    throw new Fault(
      "invalid_input",
      `The statement has no parameter ${name}${meant === undefined ? "" : ` (did you mean ${meant}?)`}.`,
    );
  }
  return slots.map((slot) => {
    const name = slot?.slice(1) ?? "";
    const value = values.get(name);
    if (value === undefined) throw new Fault("invalid_input", `Parameter ${String(slot)} was not given.`);
    return toSqlValue(value, `parameter ${String(slot)}`);
  });
}

const HALF_CHARACTER = /\p{Surrogate}/u;

export function toSqlValue(param: Param, name: string): SqlValue {
  if (typeof param === "string" && HALF_CHARACTER.test(param)) {
    // SQLite would store bytes that are not UTF-8, and read something else back.
    throw new Fault("invalid_input", `The value of ${name} has half a character (a lone surrogate).`, {
      hint: 'Give whole characters, or the bytes as {"$blob": "base64"}.',
    });
  }
  if (param === null || typeof param === "string") return param;
  if (typeof param === "boolean") return param ? 1n : 0n;
  // better-sqlite3 would bind every number as a real, and 1 would be stored as 1.0.
  if (typeof param === "number")
    return Number.isSafeInteger(param) && !Object.is(param, -0) ? BigInt(param) : param;
  // A value that was cut for a result would be stored short.
  if ("truncated" in param)
    throw new Fault("invalid_input", `The value of ${name} was cut in a result: pass the whole value.`);
  if ("$int" in param && typeof param.$int === "string" && /^[+-]?\d{1,19}$/.test(param.$int)) {
    const integer = BigInt(param.$int.replace(/^\+/, ""));
    if (has64Bits(integer)) return integer;
  }
  if (
    "$real" in param &&
    typeof param.$real !== "object" &&
    /^[+-]?(\d|\.\d|Infinity$)/.test(String(param.$real))
  ) {
    const real = Number(param.$real);
    if (!Number.isNaN(real)) return real;
  }
  if ("$blob" in param && typeof param.$blob === "string" && /^[A-Za-z0-9+/_-]*={0,2}$/.test(param.$blob))
    return Buffer.from(param.$blob, "base64");
  const text =
    "$escaped" in param && typeof param.$escaped === "string" ? fromEscaped(param.$escaped) : undefined;
  if (text !== undefined) return toSqlValue(text, name);
  throw new Fault(
    "invalid_input",
    `The value of ${name} cannot be bound: ${JSON.stringify(param).slice(0, 80)}`,
    {
      hint: 'Give null, a number, a string, a boolean, {"$int": "…"}, {"$real": "…"}, {"$escaped": "…"} or {"$blob": "base64"}.',
    },
  );
}
