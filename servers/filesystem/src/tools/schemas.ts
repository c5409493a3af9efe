import * as v from "valibot";

/** Absolute, relative to the first allowed directory, or a file:// URI: the guard knows all three, and refuses the rest. */
export const FilePath: v.GenericSchema<string> = v.string();

/** Of tools that look around: the first allowed directory, if nothing is said. */
export const StartPath: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(
  v.pipe(v.string(), v.description('Default "."')),
);

/** What else models call a path. */
export const PATH_NAMES: readonly string[] = ["file_path", "filepath", "filename", "directory", "dir"];
