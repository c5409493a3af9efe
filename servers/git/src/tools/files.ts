import { isUtf8 } from "node:buffer";

import { type TextPart, type ToolDefinition, untrusted } from "@suite/server-kit";
import {
  countOf,
  Fault,
  fitItems,
  fromCursor,
  isCount,
  noteCursor,
  quotePath,
  toCursor,
} from "@suite/server-kit/domain";
import { Count, Cursor, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { type FieldsOf, Revision } from "../domain/fields.ts";
import { BLAME, BlameGroup, readBlame } from "../domain/reading/blame.ts";
import { FILES, listFiles, readFileAt, takeBase64, takeLines } from "../domain/reading/files.ts";
import { GREP, grep, GrepMatch } from "../domain/reading/grep.ts";
import { noteOtherKind } from "../domain/reading/patterns.ts";
import { reading, withRepository } from "../state.ts";
import { ALIASES, asks, asksPage, READS } from "./schemas.ts";
import { toDay, toHeading, toShortId } from "./shown.ts";

export const gitListFiles = defineTool({
  ...READS,
  name: "git_list_files",
  title: "List tracked files",
  description: "Tracked files now, or those of a revision.",
  group: "history",
  version: 2,
  alsoKnownAs: ["git_ls_files"],
  aliases: { paths: ALIASES.paths, revision: ALIASES.revision },
  input: asksPage(FILES),
  output: schema(
    v.object({
      // The type only of what is no regular file.
      files: v.array(v.object({ path: v.string(), type: v.exactOptional(v.string()) })),
      total: Count,
      next_cursor: v.exactOptional(Cursor),
    }),
  ),
  untrusted: ["files"],
  run: ({ repo_path: repoPath, revision, paths, cursor }, context) =>
    withRepository(context, repoPath, async (call) => {
      const about = ["files", revision ?? null, paths ?? null];
      const from = fromCursor(cursor, about, isCount) ?? 0;
      const all = await listFiles(call, { revision, paths });
      const shown = all.slice(from).map(({ path, type }) => (type === "file" ? { path } : { path, type }));
      const { items, rest } = fitItems(shown, context.budget);
      return {
        files: [...items],
        total: all.length,
        ...(rest.length > 0 && { next_cursor: toCursor(from + items.length, about) }),
      };
    }),
  text: ({ files, total }): TextPart[] => {
    if (files.length === 0) return ["No files match."];
    const lines = files.map(({ path, type }) => (type === undefined ? path : `${path} (${type})`));
    return [`${files.length} of ${countOf(total, "file")}:`, untrusted(lines.join("\n"))];
  },
  note: noteCursor,
});

type Params = Parameters<NonNullable<ToolDefinition["normalize"]>>[0];

/** Accepts `line` for a single line. */
function fromOneLine(given: Params): Params {
  const { line, ...rest } = given;
  const isAlone = line !== undefined && !("start_line" in rest) && !("end_line" in rest);
  return isAlone ? { ...rest, start_line: line, end_line: line } : given;
}

const noteNextLine = ({ next_line: next }: { readonly next_line?: number }): string | undefined =>
  next === undefined ? undefined : `Truncated. Continue with start_line: ${next}.`;

const MOST_FILE_BYTES = 8 * 1024 * 1024;

export const gitReadFile = defineTool({
  ...READS,
  name: "git_read_file",
  title: "Read a file of a revision",
  description:
    'A file as it was in any revision (default HEAD; ":" is the index), or lines of it. Content that is not UTF-8 is returned as base64.',
  group: "history",
  version: 3,
  aliases: { path: ALIASES.path, revision: ALIASES.revision },
  normalize: fromOneLine,
  input: asks({
    path: v.string(),
    revision: v.optional(Revision),
    start_line: v.optional(FromOne),
    end_line: v.optional(FromOne),
  }),
  output: schema(
    v.object({
      blob: v.string(),
      size: Count,
      text: v.exactOptional(v.string()),
      base64: v.exactOptional(v.string()),
      start_line: v.exactOptional(FromOne),
      end_line: v.exactOptional(Count),
      total_lines: v.exactOptional(Count),
      next_line: v.exactOptional(FromOne),
      cut: v.exactOptional(v.literal(true)),
    }),
  ),
  untrusted: ["text", "base64"],
  run: ({ repo_path: repoPath, path, revision = "HEAD", start_line: start = 1, end_line: end }, context) =>
    withRepository(context, repoPath, async (call) => {
      const { oid, bytes, size } = await readFileAt(call, { revision, path, most: MOST_FILE_BYTES });
      if (bytes.length < size) {
        throw new Fault("too_large", `${quotePath(path)} has ${size} bytes: more than can be read`, {
          hint: "git_grep finds lines in it.",
        });
      }
      const facts = { blob: oid, size };
      if (!isUtf8(bytes) || bytes.includes(0))
        return { ...facts, base64: takeBase64(bytes, context.budget, path) };
      return { ...facts, ...takeLines(bytes.toString(), start, end, context.budget) };
    }),
  text: (result, { path }): TextPart[] => {
    const { text, base64, size, start_line: first, end_line: last, total_lines: total } = result;
    if (base64 !== undefined)
      return [`${quotePath(path)}: ${countOf(size, "byte")}, as base64:`, untrusted(base64)];
    const header = `${quotePath(path)}: lines ${first}-${last} of ${total}`;
    return text === undefined || text === "" ? [`${quotePath(path)}: empty`] : [header, untrusted(text)];
  },
  note: ({ cut, ...page }) => [
    cut && "This line does not fit, and was cut: raise max_bytes.",
    noteNextLine(page),
  ],
});

export const gitBlame = defineTool({
  ...READS,
  name: "git_blame",
  title: "Blame",
  description: "Who last changed each line, when and in which commit; lines of the same commit are grouped.",
  group: "core",
  version: 2,
  alsoKnownAs: ["blame"],
  aliases: { path: ALIASES.path, revision: ALIASES.revision },
  normalize: fromOneLine,
  input: asks(BLAME),
  output: schema(v.object({ groups: v.array(BlameGroup), next_line: v.exactOptional(FromOne) })),
  untrusted: ["groups"],
  run: reading(async (call, asked: FieldsOf<typeof BLAME>, { budget }) => {
    const blame = await readBlame(call, asked);
    const brief = blame.groups.map((group) => ({
      ...group,
      commit: toShortId(group.commit),
      date: toDay(group.date),
    }));
    const { items, rest } = fitItems(brief, budget);
    const next = rest[0]?.start_line ?? blame.next;
    if (items.length === 0 && next !== undefined)
      throw new Fault("too_large", "The lines of one commit do not fit", { hint: "Ask for fewer lines." });
    return { groups: [...items], ...(next !== undefined && { next_line: next }) };
  }),
  text: ({ groups }): TextPart[] => {
    const lines = groups.flatMap(({ commit, author, date, subject, start_line: start, lines: texts }) => [
      `${/^0+$/.test(commit) ? "(not committed)" : commit} ${date} ${author}: ${subject}`,
      ...texts.map((text, at) => `${start + at}: ${text}`),
    ]);
    return [`${countOf(groups.length, "group")} of lines:`, untrusted(lines.join("\n"))];
  },
  note: noteNextLine,
});

export const gitGrep = defineTool({
  ...READS,
  name: "git_grep",
  title: "Search tracked files",
  description:
    "Lines of tracked files, or of a revision, that match a Perl-compatible regular expression (fixed: plain text).",
  group: "history",
  alsoKnownAs: ["grep"],
  aliases: {
    pattern: ["query", "search", "regex"],
    paths: [...ALIASES.paths, "glob", "include"],
    revision: ALIASES.revision,
    limit: ["max_count", "n", "count"],
  },
  input: asksPage({ ...GREP, limit: v.optional(v.pipe(FromOne, v.maxValue(2000))) }),
  output: schema(v.object({ matches: v.array(GrepMatch), next_cursor: v.exactOptional(Cursor) })),
  untrusted: ["matches"],
  run: ({ repo_path: repoPath, cursor, limit = 200, max_bytes: _, ...request }, context) =>
    withRepository(context, repoPath, async (call) => {
      const about = ["grep", JSON.stringify(request)];
      const from = fromCursor(cursor, about, isCount) ?? 0;
      const { matches, next } = await grep(call, request, { budget: context.budget, limit, from });
      return { matches, ...(next !== undefined && { next_cursor: toCursor(next, about) }) };
    }),
  text: ({ matches, next_cursor: next }): TextPart[] => {
    if (matches.length === 0) return ["No matches."];
    const lines = matches.map(
      ({ path, line, text, context }) => `${path}:${line}${context ? "-" : ":"} ${text}`,
    );
    const part = { shown: matches.length, isMore: next !== undefined };
    return [toHeading(part, "line"), untrusted(lines.join("\n"))];
  },
  note: (page, { pattern, fixed }) =>
    page.matches.length === 0 && !fixed ? noteOtherKind(pattern) : noteCursor(page),
});
