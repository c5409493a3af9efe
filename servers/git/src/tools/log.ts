import { type TextPart, untrusted } from "@suite/server-kit";
import { fitItems, truncate } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { COMMIT, type Commit, countCommits, LOG, readLog } from "../domain/reading/history.ts";
import { readPatches } from "../domain/reading/patches.ts";
import { noteOtherKind } from "../domain/reading/patterns.ts";
import { toShortLine } from "../domain/reading/records.ts";
import { withRepository } from "../state.ts";
import { ALIASES, asks, READS } from "./schemas.ts";
import { toDay, toHeading, toShortId } from "./shown.ts";

const LONGEST_BODY = 2000;

const { email: _email, ...FACTS } = COMMIT;
const LogCommit = v.object({
  ...FACTS,
  // Only for merges, unless asked for.
  parents: v.exactOptional(COMMIT.parents),
  // Only with patch; cut if there is more of it.
  diff: v.exactOptional(v.string()),
  cut: v.exactOptional(v.literal(true)),
});
type LogCommit = v.InferOutput<typeof LogCommit>;

export const gitLog = defineTool({
  ...READS,
  name: "git_log",
  title: "History",
  description:
    "Commits, newest first. range: a revision, A..B or A...B. search: text that a commit added or removed. " +
    "start_line and end_line: history of these lines of one file. since, until: dates such as 2026-01-31 or yesterday.",
  group: "core",
  view: "commits",
  version: 5,
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
  input: asks({
    ...LOG,
    full: v.optional(v.pipe(v.boolean(), v.description("Whole messages"))),
    patch: v.optional(v.pipe(v.boolean(), v.description("With diffs"))),
    // Of every commit, for a graph.
    parents: v.optional(v.boolean()),
  }),
  output: schema(
    v.object({
      commits: v.array(LogCommit),
      total: v.exactOptional(Count),
      next_skip: v.exactOptional(Count),
    }),
  ),
  untrusted: ["commits"],
  run({ repo_path: path, max_count: most, full, patch, parents, max_bytes: _, ...rest }, context) {
    return withRepository(context, path, async (call) => {
      const { skip = 0 } = rest;
      // One commit more, to know whether there are others.
      const found = await readLog(call, { ...rest, max_count: most + 1 });
      const shown = found.slice(0, most);
      const patches =
        patch && (await readPatches(call, shown, { ...rest, max_count: most }, context.budget / 2));
      const commits = shown.map((commit) => ({
        ...toLogCommit(commit, full ? context.budget : undefined),
        ...(parents && { parents: commit.parents.map(toShortId) }),
        ...(patches && patches.get(commit.commit)),
      }));
      const { items } = fitItems(commits, context.budget);
      if (items.length === found.length) return { commits: [...items] };
      const total = await countCommits(call, { ...rest, max_count: most });
      return { commits: [...items], ...(total !== undefined && { total }), next_skip: skip + items.length };
    });
  },
  text: renderCommits,
  note: ({ commits, next_skip: next }, { search = "", grep, author }) => {
    if (next !== undefined) return `Continue with skip: ${next}.`;
    if (commits.some(({ cut }) => cut)) return "Diffs that end in … are cut: git_show shows them whole.";
    if (commits.length > 0) return undefined;
    if (search !== "") return "search looks for exactly this text: case matters, and it is no pattern.";
    return noteOtherKind(grep, author);
  },
});

/** As in the text. With a budget, also includes as much of the message as one commit may take. */
function toLogCommit(
  { commit: id, subject, body, email: _address, parents, author, date, ...rest }: Commit,
  budget: number | undefined,
): LogCommit {
  const commit = {
    commit: toShortId(id),
    ...(parents.length > 1 && { parents: parents.map(toShortId) }),
    author,
    date: toDay(date),
    ...rest,
    subject: toShortLine(subject),
  };
  if (budget === undefined) return commit;
  const longest = Math.min(LONGEST_BODY, budget / 4);
  return { ...commit, ...(body !== undefined && { body: truncate(body, longest) }) };
}

interface Shown {
  readonly commits: readonly LogCommit[];
  readonly total?: number;
  readonly next_skip?: number;
}

function renderCommits(
  { commits, total, next_skip: next }: Shown,
  { skip = 0 }: { skip?: number | undefined },
): TextPart[] {
  if (commits.length === 0) return ["No commits match."];
  const lines = commits.flatMap(({ commit, author, date, subject, body, refs, diff }) => [
    `${commit} ${date} ${author}: ${subject}${refs ? ` (${refs.join(", ")})` : ""}`,
    ...(body === undefined ? [] : [body.replaceAll(/^/gm, "    ")]),
    ...(diff === undefined ? [] : [diff]),
  ]);
  const isMore = next !== undefined;
  return [toHeading({ shown: commits.length, total, isMore, skip }, "commit"), untrusted(lines.join("\n"))];
}
