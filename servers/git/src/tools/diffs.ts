import { type TextPart, untrusted } from "@suite/server-kit";
import {
  countOf,
  fromCursor,
  isCount,
  type JsonValue,
  noteCursor,
  shownSize,
  toCursor,
  truncate,
} from "@suite/server-kit/domain";
import { Cursor } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { FieldsOf } from "../domain/fields.ts";
import { DIFF, DIFF_PAGE, type DiffKind, type DiffPage, isEmpty, readDiff } from "../domain/reading/diff.ts";
import { COMMIT, type Commit, findCommit, isBoundary, readCommit, SHOW } from "../domain/reading/history.ts";
import { reading, withRepository } from "../state.ts";
import { ALIASES, asksPage, PAGE, READS, RepoPath } from "./schemas.ts";

const DIFF_ALIASES = {
  paths: ALIASES.paths,
  context_lines: ["context", "unified", "U"],
  stat_only: ["stat"],
};

const DIFF_OUTPUT = {
  ...DIFF_PAGE,
  // Missing if only the files were asked for.
  diff: v.exactOptional(v.string()),
  next_cursor: v.exactOptional(Cursor),
};

const output = schema(v.object(DIFF_OUTPUT));
const untrustedFields = ["files", "diff", "cut"];

type DiffResult = FieldsOf<typeof DIFF_OUTPUT>;

const toResult = ({ next, diff, ...page }: DiffPage, about: JsonValue): DiffResult => ({
  ...page,
  ...((diff !== "" || !page.files) && { diff }),
  ...(next !== undefined && { next_cursor: toCursor(next, about) }),
});

const runDiff = (toKind: (target: string) => DiffKind) =>
  reading(async (call, { target = "", cursor, ...given }: DiffInput, { budget }) => {
    const { repo_path: _, max_bytes: __, ...request } = given;
    const kind = toKind(target);
    const about = ["diff", kind as JsonValue, request as JsonValue];
    const from = fromCursor(cursor, about, isCount) ?? 0;
    return toResult(await readDiff(call, kind, request, { budget, from }), about);
  });

type DiffInput = FieldsOf<typeof DIFF> & {
  readonly target?: string;
  readonly cursor?: string | undefined;
  readonly repo_path?: string | undefined;
  readonly max_bytes?: number | undefined;
};

function renderDiff({ files = [], diff = "", left_out: left }: DiffResult): TextPart[] {
  if (files.length === 0 && diff === "") return ["No differences."];
  const counts = files.map(
    ({ path, from, change, added, removed }) =>
      `${change} ${from === undefined ? "" : `${from} → `}${path}${added === undefined ? "" : ` +${added} -${removed}`}`,
  );
  const total = files.length + (left ?? 0);
  const head = files.length === 0 ? ["Continued:"] : [`${countOf(total, "file")} changed:`];
  // The patch names the files, too: a list is only added for several files, or if there is no patch.
  const list = diff === "" || files.length > 1 ? [untrusted(counts.join("\n"))] : [];
  return [...head, ...list, ...(diff === "" ? [] : [untrusted(diff)])];
}

const noteDiff = ({ cut, ...page }: DiffResult): readonly (string | undefined)[] => [
  cut &&
    `${countOf(cut.length, "long file was", "long files were")} cut short: ask for each with paths, and raise max_bytes for long lines.`,
  noteCursor(page),
];

const SHARED = {
  ...READS,
  version: 2,
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
  input: asksPage(DIFF),
  run: runDiff(() => "unstaged"),
});

export const gitDiffStaged = defineTool({
  ...SHARED,
  name: "git_diff_staged",
  title: "Staged changes",
  description: "What the next commit would contain.",
  input: asksPage(DIFF),
  run: runDiff(() => "staged"),
});

const FROM_TO = 'give both in target, as in target: "main..feature".';

export const gitDiff = defineTool({
  ...SHARED,
  name: "git_diff",
  title: "Compare revisions",
  description:
    "Compares the work tree with target, or two revisions: A..B, or A...B for what B added since they diverged.",
  aliases: { ...DIFF_ALIASES, target: ["range", "revision", "revisions", "commit", "ref", "branch", "base"] },
  argumentHints: {
    base: FROM_TO,
    from: FROM_TO,
    to: FROM_TO,
    head: FROM_TO,
    source: FROM_TO,
    staged: "use git_diff_staged.",
    cached: "use git_diff_staged.",
    target: "git_diff_unstaged and git_diff_staged compare without one.",
  },
  input: schema(v.strictObject({ target: v.string(), repo_path: RepoPath, ...DIFF, ...PAGE })),
  run: runDiff((target) => ({ target })),
});

const SHOWN = {
  ...COMMIT,
  // Only of merges.
  parents: v.exactOptional(COMMIT.parents),
  // The message does not fit.
  cut: v.exactOptional(v.literal(true)),
  // A shallow clone ends here.
  shallow: v.exactOptional(v.literal(true)),
};

/** A long message must leave room for the diff. */
function fitMessage(
  { subject, body = "", parents, ...facts }: Commit,
  budget: number,
): FieldsOf<typeof SHOWN> {
  const longest = budget / 4;
  const rest = truncate(body, Math.max(longest - subject.length, 0));
  return {
    ...facts,
    ...(parents.length > 1 && { parents }),
    subject: truncate(subject, longest),
    ...(body !== "" && { body: rest }),
    ...(subject.length + body.length > longest && { cut: true }),
  };
}

export const gitShow = defineTool({
  ...READS,
  name: "git_show",
  title: "Show a commit",
  description: "A commit: author, date, message, and its diff against its first parent.",
  group: "core",
  version: 4,
  alsoKnownAs: ["show"],
  aliases: { ...DIFF_ALIASES, revision: ALIASES.revision },
  input: asksPage(SHOW),
  output: schema(v.object({ commit: v.exactOptional(v.object(SHOWN)), ...DIFF_OUTPUT })),
  untrusted: ["commit", ...untrustedFields],
  run: ({ repo_path: path, cursor, max_bytes: _, ...request }, context) =>
    withRepository(context, path, async (call) => {
      const about = ["show", request as JsonValue];
      const from = fromCursor(cursor, about, isCount) ?? 0;
      const commit = await findCommit(call, request.revision);
      const shallow = from === 0 && commit.parents.length === 0 && (await isBoundary(call, commit.commit));
      const facts = { ...fitMessage(commit, context.budget), ...(shallow && { shallow }) };
      const shown = from === 0 && { commit: facts };
      const budget = Math.max(context.budget - shownSize(shown), 500);
      return { ...shown, ...toResult(await readCommit(call, commit, request, { budget, from }), about) };
    }),
  text: (result): TextPart[] => {
    const { commit } = result;
    if (!commit) return renderDiff(result);
    const { commit: id, author, email, date, parents = [], subject, body } = commit;
    const message = [`${author} <${email}>`, subject, ...(body === undefined ? [] : ["", body])].join("\n");
    const merge =
      parents.length > 1 ? `, a merge of ${parents.map((parent) => parent.slice(0, 10)).join(" and ")}` : "";
    return [`Commit ${id}, ${date}${merge}`, untrusted(message), ...renderDiff(result)];
  },
  note: (result, { paths }) => [
    result.commit?.cut && "The message does not fit, and was cut: raise max_bytes.",
    result.commit?.shallow && "This clone is shallow and ends at this commit: every file is shown as added.",
    isEmpty(result) &&
      paths &&
      "This commit does not change these paths; git_read_file reads a file as it was then.",
    ...noteDiff(result),
  ],
});
