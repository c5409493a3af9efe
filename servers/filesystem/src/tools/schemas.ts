import * as v from "valibot";

/** Absolute, relative to the first allowed directory, or a file:// URI: the guard knows all three, and refuses the rest. */
export const FilePath: v.GenericSchema<string> = v.string();

/** Lines count from 1. */
export const LineNumber: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(1));

/** How many of something: at least one. */
export const Count: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Where the next call goes on. */
export const Cursor: v.GenericSchema<string> = v.string();

/** Of every tool that writes. */
export const DryRun: v.OptionalSchema<v.GenericSchema<boolean>, undefined> = v.optional(
  v.pipe(v.boolean(), v.description("Only say what would change")),
);

/** Of every tool that writes to a file that may be there already. */
export const IfMatch: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(
  v.pipe(v.string(), v.description("etag of an earlier read")),
);

/** In results: the state of a file, for if_match. */
export const ETag: v.GenericSchema<string> = v.string();

/** In results of writing tools: what was changed, in a dry run what would be. */
export const Changed: v.GenericSchema<string[]> = v.array(v.string());

/** In results: a number of bytes. */
export const ByteCount: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(0));
