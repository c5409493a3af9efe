import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, fitItems, looksLikePattern, truncate } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { COMMIT, type Commit, LOG, readLog } from "../domain/reading/history.ts";
import { noteOtherKind } from "../domain/reading/patterns.ts";
import { toShortLine } from "../domain/reading/records.ts";
import { withRepository } from "../state.ts";
import { ALIASES, asks, READS } from "./schemas.ts";

const LONGEST_BODY = 2000;

const LogCommit = v.object({
  ...COMMIT,
  // Only for merges.
  parents: v.exactOptional(COMMIT.parents),
  // Only with full.
  email: v.exactOptional(COMMIT.email),
});
type LogCommit = v.InferOutput<typeof LogCommit>;

export const gitLog = defineTool({
  ...READS,
  name: "git_log",
  title: "History",
  description:
    "Commits, newest first, filtered by git. range: a revision, A..B or A...B. search: text that a commit added or removed. " +
    "since and until take dates such as 2026-01-31 or yesterday.",
  group: "core",
  version: 3,
  alsoKnownAs: ["log"],
  aliases: {
    since: ["start_timestamp", "after"],
    until: ["end_timestamp", "before"],
    max_count: [...ALIASES.max_count, "max_results"],
    range: ALIASES.revision,
    paths: ALIASES.paths,
    search: ["pickaxe", "S"],
    grep: ["message"],
  },
  argumentHints: {
    query: "give grep for a pattern in messages, or search for text that a commit added or removed.",
    oneline: "leave it out: only with full is it more than a line.",
  },
  input: asks({ ...LOG, full: v.optional(v.pipe(v.boolean(), v.description("Whole messages"))) }),
  output: schema(v.object({ commits: v.array(LogCommit), next_skip: v.exactOptional(Count) })),
  untrusted: ["commits[].author", "commits[].email", "commits[].refs", "commits[].subject", "commits[].body"],
  run({ repo_path: path, max_count: most, full, skip = 0, ...rest }, context) {
    return withRepository(context, path, async (call) => {
      // One commit more, to know whether there are others.
      const found = await readLog(call, { ...rest, skip, max_count: most + 1 });
      const shown = found.slice(0, most).map((commit) => shorten(commit, full ? context.budget : undefined));
      const { items } = fitItems(shown, context.budget);
      return {
        commits: [...items],
        ...(items.length < found.length && { next_skip: skip + items.length }),
      };
    });
  },
  text: ({ commits, next_skip: next }) => renderCommits(commits, next !== undefined),
  note: ({ commits, next_skip: next }, { search = "", grep, author }) => {
    if (next !== undefined) return `There are older commits. Continue with skip: ${next}.`;
    if (commits.length > 0) return undefined;
    return looksLikePattern(search) ? "search is plain text, not a pattern." : noteOtherKind(grep, author);
  },
});

/** With a budget, also includes the e-mail address and as much of the message as one commit may take. */
function shorten(
  { commit: id, subject, body, email, parents, ...rest }: Commit,
  budget: number | undefined,
): LogCommit {
  const isMerge = parents.length > 1;
  const commit = { commit: id, ...(isMerge && { parents }), ...rest, subject: toShortLine(subject) };
  if (budget === undefined) return commit;
  const longest = Math.min(LONGEST_BODY, budget / 4);
  return { ...commit, email, ...(body !== undefined && { body: truncate(body, longest) }) };
}

function renderCommits(commits: readonly LogCommit[], hasMore: boolean): TextPart[] {
  if (commits.length === 0) return ["No commits match."];
  const lines = commits.flatMap(({ commit, author, date, subject, body, refs }) => [
    `${commit.slice(0, 10)} ${date.slice(0, 10)} ${author}: ${subject}${refs ? ` (${refs.join(", ")})` : ""}`,
    ...(body === undefined ? [] : [body.replaceAll(/^/gm, "    ")]),
  ]);
  return [
    `${countOf(commits.length, "commit")}${hasMore ? ", and older ones" : ""}:`,
    untrusted(lines.join("\n")),
  ];
}
