import type { MaybePromise, TextPart, ToolDefinition } from "@suite/server-kit";
import { countOf, fitItems, untrusted } from "@suite/server-kit/domain";
import { Count, FromOne, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { FieldsOf } from "../domain/fields.ts";
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
  /** Fields of an item that hold text from outside. */
  readonly untrusted: readonly string[];
  readonly find: (input: never, context: GitToolContext) => MaybePromise<readonly FieldsOf<E>[]>;
  readonly toLine: (item: FieldsOf<E>) => string;
}

/** A tool that lists items of one kind: as many as fit, and the number left out. */
const defineList = <const E extends v.ObjectEntries>(list: List<E>): ToolDefinition<GitState> => {
  const { field, one, many = field, input, item, untrusted: names, find, toLine, ...facts } = list;
  return defineTool({
    ...facts,
    ...READS,
    input: schema(v.strictObject({ ...input, max_bytes: MaxBytes })),
    output: schema(v.object({ [field]: v.array(v.object(item)), left_out: v.exactOptional(Count) })),
    untrusted: names.map((name) => `${field}[].${name}`),
    run: async (given, context) => {
      const { items, rest } = fitItems(await find(given as never, context), context.budget);
      return { [field]: items as never, ...(rest.length > 0 && { left_out: rest.length }) };
    },
    text: (result) =>
      renderLines((result[field] as unknown as readonly FieldsOf<E>[]).map(toLine), one, many),
    note: ({ left_out: left }) =>
      left === undefined
        ? undefined
        : `${countOf(Number(left), "more is", "more are")} left out: raise max_bytes.`,
  });
};

const renderLines = (lines: readonly string[], one: string, many: string): TextPart[] =>
  lines.length === 0
    ? [`No ${many}.`]
    : [`${countOf(lines.length, one, many)}:`, untrusted(lines.join("\n"))];

const IN_REPOSITORY = { repo_path: RepoPath };

export const gitBranch = defineList({
  name: "git_branch",
  title: "List branches",
  description:
    "Branches with their last commit, upstream and tracking, latest first. merged: only those already in that revision.",
  group: "core",
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
  untrusted: ["name", "upstream", "subject"],
  find: reading(listBranches),
  toLine: ({ name, commit, current, upstream, tracking, date, subject }) => {
    const remote =
      upstream === undefined ? "" : ` [${upstream}${tracking === undefined ? "" : `: ${tracking}`}]`;
    return `${current ? "* " : "  "}${name} ${commit.slice(0, 10)} ${date.slice(0, 10)}${remote} ${subject}`;
  },
});

export const gitTags = defineList({
  name: "git_tags",
  title: "List tags",
  description: "Tags, latest first, with the commit each points to.",
  group: "history",
  version: 2,
  input: IN_REPOSITORY,
  field: "tags",
  one: "tag",
  item: TAG,
  untrusted: ["name", "subject"],
  find: reading(listTags),
  toLine: ({ name, commit, date, subject }) =>
    `${name} ${commit?.slice(0, 10) ?? "(no commit)"} ${date.slice(0, 10)} ${subject}`,
});

export const gitRemotes = defineList({
  name: "git_remotes",
  title: "List remotes",
  description: "Remotes and their addresses, without credentials.",
  group: "remotes",
  input: IN_REPOSITORY,
  field: "remotes",
  one: "remote",
  item: REMOTE,
  untrusted: ["name", "fetch_url", "push_url"],
  find: reading(listRemotes),
  toLine: ({ name, fetch_url: url }) => `${name} ${url}`,
});

export const gitStashList = defineList({
  name: "git_stash_list",
  title: "List stashes",
  description: "What was stashed with git_stash, latest first.",
  group: "branches",
  input: IN_REPOSITORY,
  field: "stashes",
  one: "stash",
  item: LOG_ENTRY,
  untrusted: ["message"],
  find: reading(listStashes),
  toLine: ({ name, date, message }) => `${name} ${date.slice(0, 10)} ${message}`,
});

export const gitWorktrees = defineList({
  name: "git_worktrees",
  title: "List work trees",
  description: "Work trees of the repository, and what is checked out in each.",
  group: "branches",
  input: IN_REPOSITORY,
  field: "worktrees",
  one: "work tree",
  many: "work trees",
  item: WORKTREE,
  untrusted: ["path", "branch"],
  find: reading(listWorktrees),
  toLine: ({ path, branch, commit }) => `${path} ${branch ?? commit?.slice(0, 10) ?? "(bare)"}`,
});

export const gitListRepositories = defineList({
  name: "git_list_repositories",
  title: "List repositories",
  description: "Repositories this server may use: name and path for repo_path.",
  group: "core",
  input: {},
  field: "repositories",
  one: "repository",
  item: { name: v.string(), path: v.string(), bare: v.exactOptional(v.literal(true)) },
  untrusted: ["name", "path"],
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
  group: "history",
  aliases: { ref: ["branch", "revision"], max_count: ALIASES.max_count },
  input: asks(REFLOG),
  output: schema(v.object({ entries: v.array(v.object(LOG_ENTRY)), next_skip: v.exactOptional(Count) })),
  untrusted: ["entries[].message"],
  run: reading(async (call, asked: FieldsOf<typeof REFLOG>, { budget }) => {
    const { ref = "HEAD", max_count: maxCount = 20, skip = 0 } = asked;
    const found = await readReflog(call, { ref, skip, maxCount: maxCount + 1 });
    const { items } = fitItems(found.slice(0, maxCount), budget);
    return {
      entries: [...items],
      ...(items.length < found.length && { next_skip: skip + items.length }),
    };
  }),
  text: ({ entries }) =>
    renderLines(
      entries.map(({ name, commit, date, message }) => `${name} ${commit.slice(0, 10)} ${date} ${message}`),
      "entry",
      "entries",
    ),
  note: ({ next_skip: next }) =>
    next === undefined ? undefined : `There are older entries. Continue with skip: ${next}.`,
});
