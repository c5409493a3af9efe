import type { MaybePromise, TextPart, ToolDefinition } from "@suite/server-kit";
import { fitItems, untrusted } from "@suite/server-kit/domain";
import { Count, FromOne, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { FieldsOf } from "../domain/fields.ts";
import type { RepositoryCall } from "../domain/git/repository-call.ts";
import {
  BRANCH,
  BRANCHES,
  listBranches,
  listRemotes,
  listStashes,
  listTags,
  listWorktrees,
  LOG_ENTRY,
  readReflog,
  REMOTE,
  TAG,
  WORKTREE,
} from "../domain/reading/refs.ts";
import { type GitToolContext, type GitState, reading } from "../state.ts";
import { ALIASES, asks, READS, RepoPath } from "./schemas.ts";
import { toDay, toHeading, toShortId } from "./shown.ts";

interface List<E extends v.ObjectEntries> extends Pick<
  ToolDefinition<GitState>,
  "name" | "title" | "description" | "group" | "version" | "alsoKnownAs" | "aliases" | "argumentHints"
> {
  /** The name of the result field. `one` and `many` name its items; `many` defaults to `field`. */
  readonly field: string;
  readonly one: string;
  readonly many?: string;
  readonly input: v.ObjectEntries;
  readonly item: E;
  readonly find: (input: never, context: GitToolContext) => MaybePromise<readonly FieldsOf<E>[]>;
  readonly toLine: (item: FieldsOf<E>) => string;
}

/** A tool that lists items of one kind: as many as fit, and how many there are. */
const defineList = <const E extends v.ObjectEntries>(list: List<E>): ToolDefinition<GitState> => {
  const { field, one, many = field, input, item, find, toLine, ...facts } = list;
  return defineTool({
    ...facts,
    ...READS,
    input: schema(v.strictObject({ ...input, max_bytes: MaxBytes })),
    output: schema(v.object({ [field]: v.array(v.object(item)), total: v.exactOptional(Count) })),
    untrusted: [field],
    run: async (given, context) => {
      const all = await find(given as never, context);
      const { items, rest } = fitItems(all, context.budget);
      return { [field]: items as never, ...(rest.length > 0 && { total: all.length }) };
    },
    text: ({ total, ...result }) => {
      const lines = (result[field] as unknown as readonly FieldsOf<E>[]).map(toLine);
      const part = { shown: lines.length, total: Number(total), isMore: total !== undefined };
      return lines.length === 0 ? [`No ${many}.`] : [toHeading(part, one, many), untrusted(lines.join("\n"))];
    },
    note: ({ total }) => (total === undefined ? undefined : "For the others, raise max_bytes."),
  });
};

/** With short ids, and days for dates. */
const inBrief =
  <A, T extends { readonly commit?: string; readonly date?: string }>(
    find: (call: RepositoryCall, asked: A) => Promise<readonly T[]>,
  ) =>
  async (call: RepositoryCall, asked: A): Promise<readonly T[]> =>
    (await find(call, asked)).map(toBrief);

const toBrief = <T extends { readonly commit?: string; readonly date?: string }>(item: T): T => ({
  ...item,
  ...(item.commit !== undefined && { commit: toShortId(item.commit) }),
  ...(item.date !== undefined && { date: toDay(item.date) }),
});

const IN_REPOSITORY = { repo_path: RepoPath };

export const gitBranch = defineList({
  name: "git_branch",
  title: "List branches",
  description:
    "Branches with their last commit, upstream and tracking, latest first. merged: only those already in that revision.",
  group: "core",
  version: 2,
  alsoKnownAs: ["branch", "list_branches"],
  aliases: { branch_type: ["type"] },
  argumentHints: {
    all: 'give branch_type: "all".',
    remote: 'give branch_type: "remote".',
    remotes: 'give branch_type: "remote".',
  },
  input: { repo_path: RepoPath, ...BRANCHES },
  field: "branches",
  one: "branch",
  item: BRANCH,
  find: reading(inBrief(listBranches)),
  toLine: ({ name, commit, current, upstream, tracking, date, subject }) => {
    const remote =
      upstream === undefined ? "" : ` [${upstream}${tracking === undefined ? "" : `: ${tracking}`}]`;
    return `${current ? "* " : "  "}${name} ${commit} ${date}${remote} ${subject}`;
  },
});

export const gitTags = defineList({
  name: "git_tags",
  title: "List tags",
  description: "Tags, latest first, with the commit each points to.",
  group: "history",
  version: 3,
  input: IN_REPOSITORY,
  field: "tags",
  one: "tag",
  item: TAG,
  find: reading(inBrief(listTags)),
  toLine: ({ name, commit, date, subject }) => `${name} ${commit ?? "(no commit)"} ${date} ${subject}`,
});

export const gitRemotes = defineList({
  name: "git_remotes",
  title: "List remotes",
  description: "Remotes and their addresses, without credentials.",
  group: "remotes",
  version: 2,
  input: IN_REPOSITORY,
  field: "remotes",
  one: "remote",
  item: REMOTE,
  find: reading(listRemotes),
  toLine: ({ name, fetch_url: url }) => `${name} ${url}`,
});

export const gitStashList = defineList({
  name: "git_stash_list",
  title: "List stashes",
  description: "What was stashed with git_stash, latest first.",
  group: "branches",
  version: 2,
  input: IN_REPOSITORY,
  field: "stashes",
  one: "stash",
  item: LOG_ENTRY,
  find: reading(inBrief(listStashes)),
  toLine: ({ name, date, message }) => `${name} ${date} ${message}`,
});

export const gitWorktrees = defineList({
  name: "git_worktrees",
  title: "List work trees",
  description: "Work trees of the repository, and what is checked out in each.",
  group: "remotes",
  version: 2,
  input: IN_REPOSITORY,
  field: "worktrees",
  one: "work tree",
  many: "work trees",
  item: WORKTREE,
  find: reading(inBrief(listWorktrees)),
  toLine: ({ path, branch, commit }) => `${path} ${branch ?? commit ?? "(bare)"}`,
});

export const gitListRepositories = defineList({
  name: "git_list_repositories",
  title: "List repositories",
  description: "Repositories this server may use: name and path for repo_path.",
  group: "core",
  version: 2,
  input: {},
  field: "repositories",
  one: "repository",
  item: { name: v.string(), path: v.string(), bare: v.exactOptional(v.literal(true)) },
  find: (_, context) =>
    context.state.roots.withGuard(context, (guard) =>
      context.state.repositories.list(guard).map(({ name, repository: { root, isBare } }) => ({
        name,
        path: root,
        ...(isBare && { bare: true as const }),
      })),
    ),
  toLine: ({ name, path }) => `${name} ${path}`,
});

const REFLOG = {
  ref: v.optional(v.string()),
  max_count: v.optional(v.pipe(FromOne, v.maxValue(1000))),
  skip: v.optional(Count),
};

export const gitReflog = defineTool({
  ...READS,
  name: "git_reflog",
  title: "Reflog",
  description: "Where HEAD, or another ref, pointed before: finds commits that are no longer on any branch.",
  group: "core",
  version: 2,
  aliases: { ref: ["branch", "revision"], max_count: ALIASES.max_count },
  input: asks(REFLOG),
  output: schema(v.object({ entries: v.array(v.object(LOG_ENTRY)), next_skip: v.exactOptional(Count) })),
  untrusted: ["entries"],
  run: reading(async (call, asked: FieldsOf<typeof REFLOG>, { budget }) => {
    const { ref = "HEAD", max_count: maxCount = 20, skip = 0 } = asked;
    const found = await readReflog(call, { ref, skip, maxCount: maxCount + 1 });
    const shown = found.map((entry) => ({
      ...entry,
      commit: toShortId(entry.commit),
      date: entry.date.slice(0, "2026-01-31T10:15".length),
    }));
    const { items } = fitItems(shown.slice(0, maxCount), budget);
    return {
      entries: [...items],
      ...(items.length < found.length && { next_skip: skip + items.length }),
    };
  }),
  text: ({ entries, next_skip: next }, { skip }): TextPart[] => {
    if (entries.length === 0) return ["No entries."];
    const lines = entries.map(({ name, commit, date, message }) => `${name} ${commit} ${date} ${message}`);
    const part = { shown: entries.length, isMore: next !== undefined, skip };
    return [toHeading(part, "entry", "entries"), untrusted(lines.join("\n"))];
  },
  note: ({ next_skip: next }) => (next === undefined ? undefined : `Continue with skip: ${next}.`),
});
