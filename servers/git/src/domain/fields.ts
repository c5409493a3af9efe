import * as v from "valibot";

/** What a tool takes or tells, by the fields that describe it: once, for the schema and for whoever does it. */
export type FieldsOf<E extends v.ObjectEntries> = Readonly<v.InferOutput<v.ObjectSchema<E, undefined>>>;

/** What a write was asked for: it may only be tried. */
export type Asked<E extends v.ObjectEntries> = FieldsOf<E> & {
  readonly dry_run?: boolean | undefined;
};

/** What a write tells: also what it changed. */
export type Told<E extends v.ObjectEntries> = FieldsOf<E> & { readonly changed: readonly string[] };

export const Count: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Lines count from 1; so do limits. */
export const FromOne: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Relative to the root of the repository. */
export const Paths: v.OptionalSchema<v.GenericSchema<string[]>, undefined> = v.optional(v.array(v.string()));

export const Files: v.GenericSchema<string[]> = v.pipe(v.array(v.string()), v.minLength(1));

export const Revision: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.description("Branch, tag, commit or HEAD~2"),
);
