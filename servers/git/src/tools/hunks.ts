import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, fitItems, fromCursor, isCount, noteCursor, toCursor } from "@suite/server-kit/domain";
import { Count, Cursor } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { type Asked, Files, Paths } from "../domain/fields.ts";
import { type Hunk, listHunks } from "../domain/reading/hunks.ts";
import { decodeText } from "../domain/reading/records.ts";
import { applyHunks, type HunkDirection } from "../domain/writing/staging.ts";
import { changing, withRepository } from "../state.ts";
import { asksPage, READS } from "./schemas.ts";
import { renderChange, takes, tells } from "./change-result.ts";

const ShownHunk = v.object({
  id: v.string(),
  path: v.string(),
  header: v.string(),
  text: v.string(),
  cut: v.exactOptional(v.literal(true)),
});
type ShownHunk = v.InferOutput<typeof ShownHunk>;

const LONGEST_HUNK = 6000;

/** Bytes of the patch as text. */
function show({ id, path, header, lines }: Hunk, budget: number): ShownHunk {
  // At least one hunk must always fit.
  const longest = Math.min(LONGEST_HUNK, budget / 4);
  const text = decodeText(Buffer.from(lines.join("\n"), "latin1"));
  return {
    id,
    path,
    header: decodeText(Buffer.from(header, "latin1")),
    ...(text.length > longest ? { text: `${text.slice(0, longest)}\n…`, cut: true } : { text }),
  };
}

export const gitListHunks = defineTool({
  ...READS,
  name: "git_list_hunks",
  title: "List hunks",
  description:
    "Changes of tracked files as hunks, each with an id for git_stage_hunks, or with staged for git_unstage_hunks.",
  group: "core",
  version: 4,
  input: asksPage({ paths: Paths, staged: v.optional(v.boolean()) }),
  output: schema(
    v.object({
      hunks: v.array(ShownHunk),
      total: Count,
      // Files with conflicts, which have no hunks.
      conflicts: v.exactOptional(Count),
      next_cursor: v.exactOptional(Cursor),
    }),
  ),
  untrusted: ["hunks"],
  run: ({ repo_path: path, paths, staged = false, cursor }, context) =>
    withRepository(context, path, async (call) => {
      const about = ["hunks", paths ?? null, staged];
      const from = fromCursor(cursor, about, isCount) ?? 0;
      const side = staged ? "staged" : "unstaged";
      const { hunks: all, conflicts } = await listHunks(call, side, paths);
      const { items, rest } = fitItems(
        all.slice(from).map((hunk) => show(hunk, context.budget)),
        context.budget,
      );
      return {
        hunks: [...items],
        total: all.length,
        ...(conflicts > 0 && { conflicts }),
        ...(rest.length > 0 && { next_cursor: toCursor(from + items.length, about) }),
      };
    }),
  text: ({ hunks, total }): TextPart[] => {
    if (hunks.length === 0) return ["No hunks."];
    const parts = hunks.flatMap(({ id, path, header, text }) => [`${id} ${path} ${header}`, text]);
    return [`${hunks.length} of ${countOf(total, "hunk")}, each after its id:`, untrusted(parts.join("\n"))];
  },
  note: (page, { staged }) => {
    const cut = page.hunks.some((hunk) => hunk.cut)
      ? `Hunks that end in … are cut: git_diff_${staged ? "staged" : "unstaged"} shows them whole.`
      : undefined;
    if (page.conflicts !== undefined) {
      const which = `${countOf(page.conflicts, "file has", "files have")} conflicts, and so no hunks (git_status shows which)`;
      return [`${which}: resolve them, then stage with git_add.`, cut, noteCursor(page)];
    }
    if (page.total === 0)
      return "Untracked and binary files, and changes of a mode alone, have none: stage them with git_add.";
    return [cut, noteCursor(page)];
  },
});

const defineHunkWriter = (direction: HunkDirection, title: string, description: string) =>
  defineTool({
    name: `git_${direction}_hunks`,
    title,
    description,
    effects: "write",
    affects: "the index",
    group: "core",
    version: 3,
    aliases: { ids: ["hunk_ids", "hunks"] },
    input: takes({ ids: Files }),
    output: tells({ hunks: v.array(v.string()) }),
    untrusted: ["changed"],
    run: changing((call, change, asked: Asked<{ ids: typeof Files }>) =>
      applyHunks(call, change, asked, direction),
    ),
    text: (result, { dry_run: dryRun }) =>
      renderChange(
        `${countOf(result.hunks.length, "hunk")} ${dryRun ? "would be " : ""}${direction}d`,
        result,
      ),
  });

export const gitStageHunks = defineHunkWriter(
  "stage",
  "Stage hunks",
  "Stages hunks by their ids, and checks that they are staged.",
);
export const gitUnstageHunks = defineHunkWriter(
  "unstage",
  "Unstage hunks",
  "Removes hunks, listed with staged, from the index.",
);
