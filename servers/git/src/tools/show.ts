import { type TextPart, untrusted } from "@suite/server-kit";
import { type JsonValue, parseCursor } from "@suite/server-kit/domain";
import { Cursor, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { readCommit } from "../domain/reading/history.ts";
import { withRepository } from "../state.ts";
import { DIFF_ALIASES, DIFF_OUTPUT, noteDiff, renderDiff, toDiffResult } from "./diffs.ts";
import { ALIASES, CommitShape, ContextLines, Paths, RepoPath, Revision } from "./schemas.ts";

const LONGEST_BODY = 8000;

export const gitShow = defineTool({
  name: "git_show",
  title: "Show a commit",
  description: "A commit: author, date, message, and its diff against its first parent.",
  effects: "read",
  touches: "the repository",
  group: "core",
  formerly: ["show"],
  aliases: { ...DIFF_ALIASES, revision: ALIASES.revision },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      revision: Revision,
      paths: Paths,
      context_lines: ContextLines,
      stat_only: v.optional(v.boolean()),
      max_bytes: MaxBytes,
      cursor: v.optional(Cursor),
    }),
  ),
  output: schema(v.object({ commit: v.exactOptional(CommitShape), ...DIFF_OUTPUT })),
  untrusted: [
    "commit.author",
    "commit.email",
    "commit.subject",
    "commit.body",
    "files[].path",
    "diff",
    "cut",
  ],
  run({ repo_path: path, cursor, revision, paths, ...input }, context) {
    const { context_lines: contextLines, stat_only: statOnly } = input;
    const request = { revision, paths, contextLines, statOnly };
    const about = ["show", { ...request } as JsonValue];
    return withRepository(context, path, async (call) => {
      const from = cursor === undefined ? 0 : parseCursor<number>(cursor, about);
      const room = from === 0 ? context.budget - LONGEST_BODY / 4 : context.budget;
      const limits = { budget: Math.max(room, 500), from };
      const { commit, ...page } = await readCommit(call, request, limits);
      const { parents, refs, body, ...facts } = commit;
      const shown = {
        ...facts,
        parents: [...parents],
        ...(refs && { refs: [...refs] }),
        ...(body !== undefined && { body: body.slice(0, context.budget / 4) }),
      };
      return { ...(from === 0 && { commit: shown }), ...toDiffResult(page, about) };
    });
  },
  text: (result): TextPart[] => {
    const { commit } = result;
    if (!commit) return renderDiff(result);
    const { commit: id, author, email, date, parents, subject, body } = commit;
    const message = [`${author} <${email}>`, subject, ...(body === undefined ? [] : ["", body])].join("\n");
    const merge =
      parents.length > 1 ? `, a merge of ${parents.map((parent) => parent.slice(0, 10)).join(" and ")}` : "";
    return [`Commit ${id}, ${date}${merge}`, untrusted(message), ...renderDiff(result)];
  },
  note: noteDiff,
});
