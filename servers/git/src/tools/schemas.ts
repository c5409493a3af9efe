import * as v from "valibot";

/** A path in a repository, or a name from git_list_repositories. Described in the instructions, once for all tools. */
export const RepoPath: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(v.string());

/** Other names that models use for these arguments. */
export const ALIASES = {
  repo_path: ["repo", "repository", "repository_path", "cwd"],
  paths: ["paths", "files", "path", "file", "file_path", "file_paths", "pathspec"],
  path: ["file", "file_path", "filename"],
  revision: ["revision", "ref", "commit", "sha", "rev", "branch"],
  max_count: ["limit", "n", "count"],
} as const;
