import { type TextPart, untrusted } from "@suite/server-kit";
import { fitItems } from "@suite/server-kit/domain";
import { Count, Limit, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { type Commit, readLog } from "../domain/reading/history.ts";
import { withRepository } from "../state.ts";
import { ALIASES, CommitShape, Paths, RepoPath } from "./schemas.ts";

const DEFAULT_COUNT = 10;
const LONGEST_BODY = 2000;

export const gitLog = defineTool({
  name: "git_log",
  title: "History",
  description:
    "Commits, newest first, filtered by git. range: a revision, A..B or A...B. search: text that a commit added or removed. " +
    "since and until take dates such as 2026-01-31 or yesterday.",
  effects: "read",
  touches: "the repository",
  group: "core",
  formerly: ["log"],
  aliases: {
    since: ["start_timestamp", "after"],
    until: ["end_timestamp", "before"],
    max_count: [...ALIASES.max_count, "max_results"],
    range: ALIASES.revision,
    paths: ALIASES.paths,
    search: ["pickaxe"],
    grep: ["message"],
  },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      range: v.optional(v.string()),
      max_count: v.optional(v.pipe(Limit, v.maxValue(1000))),
      skip: v.optional(Count),
      since: v.optional(v.string()),
      until: v.optional(v.string()),
      author: v.optional(v.string()),
      grep: v.optional(v.pipe(v.string(), v.description("Pattern in the message"))),
      search: v.optional(v.string()),
      paths: Paths,
      follow: v.optional(v.pipe(v.boolean(), v.description("One file across renames"))),
      all: v.optional(v.pipe(v.boolean(), v.description("All branches"))),
      full: v.optional(v.pipe(v.boolean(), v.description("Whole messages"))),
      max_bytes: MaxBytes,
    }),
  ),
  output: schema(
    v.object({
      commits: v.array(CommitShape),
      next_skip: v.exactOptional(Count),
    }),
  ),
  untrusted: ["commits[].author", "commits[].email", "commits[].refs", "commits[].subject", "commits[].body"],
  run(input, context) {
    const { repo_path: path, max_count: maxCount = DEFAULT_COUNT, full = false, skip = 0, ...rest } = input;
    return withRepository(context, path, async (call) => {
      // One more than asked for says whether there are others.
      const request = { ...rest, skip, maxCount: maxCount + 1 };
      const found = await readLog(call, request);
      const shown = found
        .slice(0, maxCount)
        .map((commit) => shorten(commit, full ? context.budget : undefined));
      const { items } = fitItems(shown, context.budget);
      return {
        commits: items.map((commit) => ({ ...commit })),
        ...(items.length < found.length && { next_skip: skip + items.length }),
      };
    });
  },
  text: ({ commits }) => renderCommits(commits),
  note: ({ next_skip: next }) =>
    next === undefined ? undefined : `There are older commits. Continue with skip: ${next}.`,
});

type ShortCommit = Omit<Commit, "parents" | "refs"> & { parents: string[]; refs?: string[] };

/** With the message as far as one commit may fill the page; without it where nobody asked for it. */
function shorten({ body, parents, refs, ...commit }: Commit, budget: number | undefined): ShortCommit {
  const longest = Math.min(LONGEST_BODY, (budget ?? 0) / 4);
  const text = body !== undefined && body.length > longest ? `${body.slice(0, longest)}…` : body;
  return {
    ...commit,
    parents: [...parents],
    ...(refs && { refs: [...refs] }),
    ...(budget !== undefined && text !== undefined && { body: text }),
  };
}

function renderCommits(
  commits: readonly Pick<Commit, "commit" | "author" | "date" | "subject" | "body" | "refs">[],
): TextPart[] {
  if (commits.length === 0) return ["No commits match."];
  const lines = commits.flatMap(({ commit, author, date, subject, body, refs }) => [
    `${commit.slice(0, 10)} ${date.slice(0, 10)} ${author}: ${subject}${refs ? ` (${refs.join(", ")})` : ""}`,
    ...(body === undefined ? [] : [body.replaceAll(/^/gm, "    ")]),
  ]);
  return [`${commits.length} ${commits.length === 1 ? "commit" : "commits"}:`, untrusted(lines.join("\n"))];
}
