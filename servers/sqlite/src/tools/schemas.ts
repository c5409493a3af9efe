import * as v from "valibot";

/** Which database; the only one where it is left out. */
export const DatabaseName: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(
  v.pipe(v.string(), v.description("Name; not needed if there is one")),
);

export const Sql: v.GenericSchema<string> = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000_000));

const Param = v.union([
  v.null(),
  v.boolean(),
  v.number(),
  v.string(),
  v.strictObject({ $int: v.string() }),
  v.strictObject({ $real: v.union([v.string(), v.number()]) }),
  v.strictObject({ $escaped: v.string() }),
  // As results have it: one that says it was cut is refused further on.
  v.strictObject({
    $blob: v.string(),
    bytes: v.exactOptional(v.number()),
    truncated: v.exactOptional(v.boolean()),
  }),
]);

type ParamValue = v.InferOutput<typeof Param>;

/** By position or by name. Said loosely to the model, whose tool list is paid by the word; checked exactly here. */
export const Params: v.OptionalSchema<
  v.GenericSchema<unknown, readonly ParamValue[] | { readonly [name: string]: ParamValue }>,
  undefined
> = v.optional(
  v.pipe(
    v.union([v.array(v.any()), v.record(v.string(), v.any())]),
    v.description("For ?, or by name"),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const parsed = v.safeParse(v.union([v.array(Param), v.record(v.string(), Param)]), dataset.value);
      if (parsed.success) return parsed.output;
      addIssue({
        message:
          'must hold null, numbers, strings, booleans, {"$int": "…"}, {"$escaped": "…"} or {"$blob": "base64"}',
      });
      return NEVER;
    }),
  ),
);

export const DryRun: v.OptionalSchema<v.GenericSchema<boolean>, undefined> = v.optional(
  v.pipe(v.boolean(), v.description("Undo it, and say what it would do")),
);

export const Count: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Of every tool that writes. */
export const Changed: v.GenericSchema<string[]> = v.array(v.string());

export const Columns: v.GenericSchema<{ name: string; type: string | null; inexact?: true }[]> = v.array(
  v.object({ name: v.string(), type: v.nullable(v.string()), inexact: v.exactOptional(v.literal(true)) }),
);

/** A cell is as exact as JSON can be. */
export const Rows: v.GenericSchema<unknown[][]> = v.array(v.array(v.any()));
