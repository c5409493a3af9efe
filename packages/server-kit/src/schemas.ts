/** Arguments and results common to all servers. A separate entry point: only servers that use valibot load it. */
import * as v from "valibot";

/** Line numbers, and limits. */
export const FromOne: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(1));

/** A number of things, including 0. */
export const Count: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(0));

/** For tools that page by `ctx.budget`: the longest result, up to the operator's --max-result. */
export const MaxBytes: v.OptionalSchema<v.GenericSchema<number>, undefined> = v.optional(
  v.pipe(v.number(), v.integer(), v.minValue(1000), v.description("Longest result; default 40000")),
);

/** Where the next call continues. */
export const Cursor: v.GenericSchema<string> = v.string();

/** For every tool that writes. */
export const DryRun: v.OptionalSchema<v.GenericSchema<boolean>, undefined> = v.optional(
  v.pipe(v.boolean(), v.description("Only say what would change")),
);

/** For every tool that writes to something that may already exist. */
export const IfMatch: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(
  v.pipe(v.string(), v.description("etag of an earlier read")),
);

/** In results: the version of something, for if_match. */
export const ETag: v.GenericSchema<string> = v.string();

/** In results of every tool that writes: what was changed. The kit says `would_change` in a dry run. */
export const Changed: v.GenericSchema<string[]> = v.array(v.string());
