import { DryRun } from "@suite/server-kit/schemas";
import * as v from "valibot";

/** Each pair of targets is compared. */
const MOST_TARGETS = 500;

/** Absolute, relative to the first allowed directory, or a file:// URI. Checked by the guard. */
export const FilePath: v.GenericSchema<string> = v.string();

/** For tools that list or search: defaults to the first allowed directory. */
export const StartPath: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(
  v.pipe(v.string(), v.description('Default "."')),
);

/** Other names that models use for the paths of a copy or move. */
export const TRANSFER_NAMES: { readonly [argument in "source" | "destination"]: readonly string[] } = {
  source: ["from", "source_path"],
  destination: ["to", "destination_path"],
};

/** One path or several. */
export const FilePaths: v.GenericSchema<string | string[]> = v.union([
  v.string(),
  v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MOST_TARGETS)),
]);

/** Arguments of a copy or move. */
export const transferInput = {
  source: FilePaths,
  destination: FilePaths,
  overwrite: v.optional(v.boolean()),
  dry_run: DryRun,
};

/** Other names that models use for `path`. */
export const PATH_NAMES: readonly string[] = ["file_path", "filepath", "filename", "directory", "dir"];
