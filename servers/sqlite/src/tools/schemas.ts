import { Count } from "@suite/server-kit/schemas";
import * as v from "valibot";

import { type Cell, type Column, mayBeRounded } from "../domain/values/cell.ts";

// Every word of the tool list costs tokens in every conversation: do not repeat the instructions here, or spell out what the code
// checks anyway.

/** May be omitted if there is only one database. */
export const DatabaseName: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(v.string());

// The kit's schemas, without their descriptions.
export const DryRun: v.OptionalSchema<v.GenericSchema<boolean>, undefined> = v.optional(v.boolean());
export const MaxBytes: v.OptionalSchema<v.GenericSchema<number>, undefined> = v.optional(
  v.pipe(v.number(), v.integer(), v.minValue(1000)),
);

export const Table: v.GenericSchema<string> = v.string();

export const Sql: v.GenericSchema<string> = v.string();

const Param = v.union([
  v.null(),
  v.boolean(),
  v.number(),
  v.string(),
  v.strictObject({ $int: v.string() }),
  v.strictObject({ $real: v.union([v.string(), v.number()]) }),
  v.strictObject({ $escaped: v.string() }),
  // As results have it; a truncated one is refused when it is bound.
  v.strictObject({
    $blob: v.string(),
    bytes: v.exactOptional(v.number()),
    truncated: v.exactOptional(v.boolean()),
  }),
]);

type ParamValue = v.InferOutput<typeof Param>;

type ParamValues = readonly ParamValue[] | { readonly [name: string]: ParamValue };

/** JSON text, and null for none: where no type is listed, the kit cannot tell. */
function toGroup(given: unknown): unknown {
  if (typeof given !== "string") return given ?? [];
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

const parseParams = v.rawTransform<unknown, ParamValues>(({ dataset, addIssue, NEVER }) => {
  const given = toGroup(dataset.value);
  const parsed = v.safeParse(v.union([v.array(Param), v.record(v.string(), Param)]), given);
  const isRounded =
    parsed.success &&
    Object.values(parsed.output).some((param) => typeof param === "number" && mayBeRounded(param));
  if (parsed.success && !isRounded) return parsed.output;
  const isGroup = typeof given === "object" && given !== null;
  addIssue({
    message: isRounded
      ? 'must hold numbers past 2^53 as {"$int": "…"} or {"$real": "…"}: JSON rounds them otherwise'
      : !isGroup
        ? "must be a list for ?, or an object by name"
        : 'must hold null, numbers, strings, booleans, {"$int": "…"}, {"$escaped": "…"} or {"$blob": "base64"}',
  });
  return NEVER;
});

type ParamsSchema = v.OptionalSchema<v.GenericSchema<unknown, ParamValues>, undefined>;

/** Loose, to save tokens: parseParams checks. `items` is there because some clients refuse lists without it. */
const LISTED = { description: "By ? or by name", type: ["array", "object"], items: {} };

/** By position or by name. */
export const Params: ParamsSchema = v.optional(v.pipe(v.unknown(), v.metadata(LISTED), parseParams));

/** Without the description and type, for tools listed after read_query. */
export const SameParams: ParamsSchema = v.optional(v.pipe(v.unknown(), parseParams));

export const Columns: v.GenericSchema<readonly Column[]> = v.array(
  v.object({ name: v.string(), type: v.nullable(v.string()), inexact: v.exactOptional(v.literal(true)) }),
);

/** Of a table: counting stops at a limit. */
export const rowCount = {
  rows: v.exactOptional(Count),
  more: v.exactOptional(v.pipe(v.literal(true), v.description("rows is a lower bound"))),
};

export const Rows: v.GenericSchema<readonly (readonly Cell[])[]> = v.array(v.array(v.any()));

/** Argument names that models know from other servers, including the reference server. */
export const SQL_ALIASES = { query: ["sql", "statement"], params: ["parameters", "args", "values"] };
export const TABLE_ALIASES = { table: ["table_name"] };
export const PATH_ALIASES = { path: ["file_path", "file", "filename"] };
