import * as v from "valibot";

/** A path in a repository, or a name from git_list_repositories. Described in the instructions, once for all tools. */
export const RepoPath: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(v.string());

/** Relative to the root of the repository. */
export const Paths: v.OptionalSchema<v.GenericSchema<string[]>, undefined> = v.optional(v.array(v.string()));

/** What models call them. */
export const ALIASES = {
  paths: ["paths", "files", "path", "file", "file_path", "file_paths", "pathspec"],
  path: ["file", "file_path", "filename"],
  revision: ["revision", "ref", "commit", "sha", "rev", "branch"],
  max_count: ["limit", "n", "count"],
} as const;

export const Revision: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.description("Branch, tag, commit or HEAD~2"),
);

/** Lines around a change. */
export const ContextLines: v.OptionalSchema<v.GenericSchema<number>, undefined> = v.optional(
  v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100)),
);

/** In results. */
export const ChangedFileShape: v.GenericSchema<{ path: string; change: string; from?: string }> = v.object({
  path: v.string(),
  change: v.string(),
  from: v.exactOptional(v.string()),
});

export const DiffFileShape: v.GenericSchema<{
  path: string;
  change: string;
  from?: string;
  added?: number;
  removed?: number;
}> = v.object({
  path: v.string(),
  change: v.string(),
  from: v.exactOptional(v.string()),
  added: v.exactOptional(v.number()),
  removed: v.exactOptional(v.number()),
});

export const CommitShape = v.object({
  commit: v.string(),
  parents: v.array(v.string()),
  author: v.string(),
  email: v.string(),
  date: v.string(),
  refs: v.exactOptional(v.array(v.string())),
  subject: v.string(),
  body: v.exactOptional(v.string()),
});

export const ConflictShape = v.object({ path: v.string(), kind: v.string() });
