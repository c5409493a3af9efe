import { type TextPart, untrusted } from "@suite/server-kit";
import { fitItems } from "@suite/server-kit/domain";
import { Count, Limit, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { listRemotes, listStashes, listTags, listWorktrees, readReflog } from "../domain/reading/refs.ts";
import { withRepository } from "../state.ts";
import { ALIASES, RepoPath } from "./schemas.ts";

const READ = { effects: "read", touches: "the repository" } as const;
const REPO_ONLY = schema(v.strictObject({ repo_path: RepoPath, max_bytes: MaxBytes }));
const leftOut = { left_out: v.exactOptional(Count) };
const noteLeftOut = ({ left_out: left }: { readonly left_out?: number }): string | undefined =>
  left === undefined ? undefined : `${left} more are left out: raise max_bytes.`;

/** As many as fit, and how many do not. */
function fit<T extends object>(
  all: readonly T[],
  budget: number,
): { readonly kept: T[]; readonly rest: { left_out?: number } } {
  const { items, rest } = fitItems(all, budget);
  return { kept: items.map((item) => ({ ...item })), rest: rest.length > 0 ? { left_out: rest.length } : {} };
}

const renderLines = (what: string, lines: readonly string[]): TextPart[] =>
  lines.length === 0 ? [`No ${what}.`] : [`${lines.length} ${what}:`, untrusted(lines.join("\n"))];

export const gitTags = defineTool({
  ...READ,
  name: "git_tags",
  title: "List tags",
  description: "Tags, latest first, with the commit each points to.",
  group: "history",
  input: REPO_ONLY,
  output: schema(
    v.object({
      tags: v.array(
        v.object({
          name: v.string(),
          commit: v.string(),
          annotated: v.boolean(),
          date: v.string(),
          subject: v.string(),
        }),
      ),
      ...leftOut,
    }),
  ),
  untrusted: ["tags[].name", "tags[].subject"],
  run: ({ repo_path: path }, context) =>
    withRepository(context, path, async (call) => {
      const { kept, rest } = fit(await listTags(call), context.budget);
      return { tags: kept, ...rest };
    }),
  text: ({ tags }) =>
    renderLines(
      "tags",
      tags.map(
        ({ name, commit, date, subject }) => `${name} ${commit.slice(0, 10)} ${date.slice(0, 10)} ${subject}`,
      ),
    ),
  note: noteLeftOut,
});

export const gitRemotes = defineTool({
  ...READ,
  name: "git_remotes",
  title: "List remotes",
  description: "Remotes and their addresses, without credentials.",
  group: "remotes",
  input: REPO_ONLY,
  output: schema(
    v.object({
      remotes: v.array(v.object({ name: v.string(), fetch_url: v.string(), push_url: v.string() })),
      ...leftOut,
    }),
  ),
  untrusted: ["remotes[].name", "remotes[].fetch_url", "remotes[].push_url"],
  run: ({ repo_path: path }, context) =>
    withRepository(context, path, async (call) => {
      const { kept, rest } = fit(await listRemotes(call, context.signal), context.budget);
      return { remotes: kept, ...rest };
    }),
  text: ({ remotes }) =>
    renderLines(
      "remotes",
      remotes.map(({ name, fetch_url: url }) => `${name} ${url}`),
    ),
  note: noteLeftOut,
});

export const gitStashList = defineTool({
  ...READ,
  name: "git_stash_list",
  title: "List stashes",
  description: "What was stashed with git_stash, latest first.",
  group: "branches",
  input: REPO_ONLY,
  output: schema(
    v.object({
      stashes: v.array(
        v.object({ name: v.string(), commit: v.string(), date: v.string(), message: v.string() }),
      ),
      ...leftOut,
    }),
  ),
  untrusted: ["stashes[].message"],
  run: ({ repo_path: path }, context) =>
    withRepository(context, path, async (call) => {
      const { kept, rest } = fit(await listStashes(call), context.budget);
      return { stashes: kept, ...rest };
    }),
  text: ({ stashes }) =>
    renderLines(
      "stashes",
      stashes.map(({ name, date, message }) => `${name} ${date.slice(0, 10)} ${message}`),
    ),
  note: noteLeftOut,
});

export const gitWorktrees = defineTool({
  ...READ,
  name: "git_worktrees",
  title: "List work trees",
  description: "Work trees of the repository, and what is checked out in each.",
  group: "branches",
  input: REPO_ONLY,
  output: schema(
    v.object({
      worktrees: v.array(
        v.object({
          path: v.string(),
          commit: v.exactOptional(v.string()),
          branch: v.exactOptional(v.string()),
          bare: v.exactOptional(v.literal(true)),
          locked: v.exactOptional(v.literal(true)),
          prunable: v.exactOptional(v.literal(true)),
        }),
      ),
      ...leftOut,
    }),
  ),
  untrusted: ["worktrees[].path", "worktrees[].branch"],
  run: ({ repo_path: path }, context) =>
    withRepository(context, path, async (call) => {
      const { kept, rest } = fit(await listWorktrees(call), context.budget);
      return { worktrees: kept, ...rest };
    }),
  text: ({ worktrees }) =>
    renderLines(
      "work trees",
      worktrees.map(({ path, branch, commit }) => `${path} ${branch ?? commit?.slice(0, 10) ?? "(bare)"}`),
    ),
  note: noteLeftOut,
});

export const gitReflog = defineTool({
  ...READ,
  name: "git_reflog",
  title: "Reflog",
  description: "Where HEAD, or another ref, pointed before: finds commits that are no longer on any branch.",
  group: "history",
  aliases: { ref: ["branch", "revision"], max_count: ALIASES.max_count },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      ref: v.optional(v.string()),
      max_count: v.optional(v.pipe(Limit, v.maxValue(1000))),
      skip: v.optional(Count),
      max_bytes: MaxBytes,
    }),
  ),
  output: schema(
    v.object({
      entries: v.array(
        v.object({ name: v.string(), commit: v.string(), date: v.string(), message: v.string() }),
      ),
      next_skip: v.exactOptional(Count),
    }),
  ),
  untrusted: ["entries[].message"],
  run: ({ repo_path: path, ref = "HEAD", max_count: maxCount = 20, skip = 0 }, context) =>
    withRepository(context, path, async (call) => {
      const request = { ref, skip, maxCount: maxCount + 1 };
      const found = await readReflog(call, request);
      const { items } = fitItems(found.slice(0, maxCount), context.budget);
      return {
        entries: items.map((entry) => ({ ...entry })),
        ...(items.length < found.length && { next_skip: skip + items.length }),
      };
    }),
  text: ({ entries }) =>
    renderLines(
      "entries",
      entries.map(({ name, commit, date, message }) => `${name} ${commit.slice(0, 10)} ${date} ${message}`),
    ),
  note: ({ next_skip: next }) =>
    next === undefined ? undefined : `There are older entries. Continue with skip: ${next}.`,
});

export const gitListRepositories = defineTool({
  effects: "read",
  touches: "the allowed directories",
  name: "git_list_repositories",
  title: "List repositories",
  description: "Repositories this server may use: name and path for repo_path.",
  group: "core",
  input: schema(v.strictObject({ max_bytes: MaxBytes })),
  output: schema(
    v.object({
      repositories: v.array(
        v.object({ name: v.string(), path: v.string(), bare: v.exactOptional(v.literal(true)) }),
      ),
      ...leftOut,
    }),
  ),
  untrusted: ["repositories[].name", "repositories[].path"],
  run: (_, context) =>
    context.state.roots.withGuard(context, (guard) => {
      const all = context.state.repositories.list(guard).map(({ name, repository: { root, isBare } }) => ({
        name,
        path: root,
        ...(isBare && { bare: true as const }),
      }));
      const { kept, rest } = fit(all, context.budget);
      return { repositories: kept, ...rest };
    }),
  text: ({ repositories }) =>
    renderLines(
      "repositories",
      repositories.map(({ name, path }) => `${name} ${path}`),
    ),
  note: noteLeftOut,
});
