import { Cursor, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

/** A path in a repository, or a name from git_list_repositories. Described in the instructions, once for all tools. */
export const RepoPath: v.OptionalSchema<v.GenericSchema<string>, undefined> = v.optional(v.string());

/** What the tools that read a repository have in common. */
export const READS = { effects: "read", affects: "the repository" } as const;

/** The input of a read: repo_path, these fields and max_bytes. */
export const asks = <const E extends v.ObjectEntries>(entries: E) =>
  schema(v.strictObject({ repo_path: RepoPath, ...entries, max_bytes: MaxBytes }));

/** The end of a page's input. */
export const PAGE = { max_bytes: MaxBytes, cursor: v.optional(Cursor) };

/** The input of a read whose result comes in pages. */
export const asksPage = <const E extends v.ObjectEntries>(entries: E) =>
  schema(v.strictObject({ repo_path: RepoPath, ...entries, ...PAGE }));

/** Other names that models use for these arguments. */
export const ALIASES = {
  repo_path: ["repo", "repository", "repository_path", "cwd"],
  paths: ["paths", "files", "path", "file", "file_path", "file_paths", "pathspec"],
  path: ["file", "file_path", "filename"],
  revision: ["revision", "ref", "commit", "sha", "rev", "branch"],
  max_count: ["limit", "n", "count"],
} as const;
