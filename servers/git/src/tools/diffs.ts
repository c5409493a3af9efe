import { type TextPart, untrusted } from "@suite/server-kit";
import { type JsonValue, parseCursor, toCursor } from "@suite/server-kit/domain";
import { Count, Cursor, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { type DiffKind, type DiffPage, type DiffRequest, readDiff } from "../domain/reading/diff.ts";
import { type GitContext, withRepository } from "../state.ts";
import { ALIASES, ContextLines, DiffFileShape, Paths, RepoPath } from "./schemas.ts";

const COMMON = {
  repo_path: RepoPath,
  paths: Paths,
  context_lines: ContextLines,
  stat_only: v.optional(v.boolean()),
  ignore_whitespace: v.optional(v.boolean()),
  max_bytes: MaxBytes,
  cursor: v.optional(Cursor),
};

export const DIFF_ALIASES = {
  paths: ALIASES.paths,
  context_lines: ["context", "unified", "U"],
  stat_only: ["stat"],
};

export const DIFF_OUTPUT = {
  files: v.exactOptional(v.array(DiffFileShape)),
  diff: v.string(),
  left_out: v.exactOptional(Count),
  cut: v.exactOptional(v.array(v.string())),
  next_cursor: v.exactOptional(Cursor),
};

const output = schema(v.object(DIFF_OUTPUT));
const untrustedFields = ["files[].path", "diff", "cut"];

export interface DiffResult {
  readonly files?: readonly DiffPage["files"][number][];
  readonly diff: string;
  readonly left_out?: number;
  readonly cut?: readonly string[];
  readonly next_cursor?: string;
}

interface DiffInput {
  readonly repo_path?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly context_lines?: number | undefined;
  readonly stat_only?: boolean | undefined;
  readonly ignore_whitespace?: boolean | undefined;
  readonly cursor?: string | undefined;
}

function runDiff(context: GitContext, kind: DiffKind, input: DiffInput): Promise<Mutable<DiffResult>> {
  const { repo_path: repoPath, paths, context_lines: contextLines, cursor } = input;
  const request: DiffRequest = {
    paths,
    contextLines,
    statOnly: input.stat_only,
    ignoreWhitespace: input.ignore_whitespace,
  };
  const about = ["diff", kind as JsonValue, { ...request } as JsonValue];
  return Promise.resolve(
    withRepository(context, repoPath, async (call) => {
      const from = cursor === undefined ? 0 : parseCursor<number>(cursor, about);
      const limits = { budget: context.budget, from };
      return toDiffResult(await readDiff(call, kind, request, limits), about);
    }),
  );
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] | undefined ? E[] : T[K] };

/** Facts about files take what the patch leaves. */
export function toDiffResult(page: DiffPage, about: JsonValue): Mutable<DiffResult> {
  const { files, diff, filesLeftOut, cut, next } = page;
  return {
    ...(files.length > 0 && { files: [...files] }),
    diff,
    ...(filesLeftOut > 0 && { left_out: filesLeftOut }),
    ...(cut.length > 0 && { cut: [...cut] }),
    ...(next !== undefined && { next_cursor: toCursor(next, about) }),
  };
}

export function renderDiff({ files = [], diff, left_out: left }: DiffResult): TextPart[] {
  if (files.length === 0 && diff === "") return ["No differences."];
  const counts = files.map(
    ({ path, from, change, added, removed }) =>
      `${change} ${from === undefined ? "" : `${from} → `}${path}${added === undefined ? "" : ` +${added} -${removed}`}`,
  );
  const total = files.length + (left ?? 0);
  const head = files.length === 0 ? ["Continued:"] : [`${total} ${total === 1 ? "file" : "files"} changed:`];
  // The names are in the patch, too: they are listed apart only where they say something that it does not.
  const list = diff === "" || files.length > 1 ? [untrusted(counts.join("\n"))] : [];
  return [...head, ...list, ...(diff === "" ? [] : [untrusted(diff)])];
}

export function noteDiff({ cut, next_cursor: cursor }: DiffResult): string | undefined {
  const notes = [
    ...(cut
      ? [
          `${cut.length} long ${cut.length === 1 ? "file was" : "files were"} cut short: ask for each with paths.`,
        ]
      : []),
    ...(cursor === undefined ? [] : [`Truncated. Continue with cursor: "${cursor}".`]),
  ];
  return notes.length === 0 ? undefined : notes.join(" ");
}

const SHARED = {
  effects: "read",
  touches: "the repository",
  group: "core",
  aliases: DIFF_ALIASES,
  output,
  untrusted: untrustedFields,
  text: renderDiff,
  note: noteDiff,
} as const;

export const gitDiffUnstaged = defineTool({
  ...SHARED,
  name: "git_diff_unstaged",
  title: "Unstaged changes",
  description: "Changes in the work tree that are not staged.",
  input: schema(v.strictObject(COMMON)),
  run: (input, context) => runDiff(context, "unstaged", input),
});

export const gitDiffStaged = defineTool({
  ...SHARED,
  name: "git_diff_staged",
  title: "Staged changes",
  description: "What the next commit would contain.",
  input: schema(v.strictObject(COMMON)),
  run: (input, context) => runDiff(context, "staged", input),
});

const FROM_TO = 'give both in target, as in target: "main..feature".';

export const gitDiff = defineTool({
  ...SHARED,
  name: "git_diff",
  title: "Compare revisions",
  description:
    "Compares the work tree with target, or two revisions: A..B, or A...B for what B added since they diverged.",
  aliases: { ...DIFF_ALIASES, target: ["range", "revision", "revisions", "commit", "ref", "branch", "base"] },
  instead: {
    base: FROM_TO,
    from: FROM_TO,
    to: FROM_TO,
    head: FROM_TO,
    source: FROM_TO,
    staged: "use git_diff_staged.",
    cached: "use git_diff_staged.",
  },
  input: schema(v.strictObject({ target: v.string(), ...COMMON })),
  run: ({ target, ...input }, context) => runDiff(context, { target }, input),
});
