import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, fitItems } from "@suite/server-kit/domain";
import { Changed, DryRun, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { KeptChange, IsChangeVisible } from "../domain/writing/change-list.ts";
import { findUndone, listChanges } from "../domain/writing/change-list.ts";
import { undo } from "../domain/writing/undo.ts";
import { withChange, withRepository } from "../state.ts";
import { RepoPath } from "./schemas.ts";
import { tells } from "./change-result.ts";

// Its id begins with the time.
const Change = v.object({
  id: v.string(),
  tool: v.string(),
  summary: v.string(),
  interrupted: v.exactOptional(v.literal(true)),
  undone: v.exactOptional(v.literal(true)),
  undoable: v.exactOptional(v.literal(false)),
  // Why it cannot be undone.
  reason: v.exactOptional(v.string()),
});

const DEFAULT_LIMIT = 10;
const LONGEST_DIFF = 16_000;

const show = ({ id, tool, summary, after, irreversible }: KeptChange) => ({
  id,
  tool,
  summary,
  ...(after === undefined && { interrupted: true as const }),
  ...(irreversible !== undefined && { undoable: false as const, reason: irreversible }),
});

export const gitUndo = defineTool({
  name: "git_undo",
  title: "Undo",
  description:
    'Without id: lists the recent changes of this server. With id, or "last": undoes one, unless something changed since.',
  effects: "destructive",
  affects: "the repository and its work tree",
  group: "core",
  view: "history",
  version: 9,
  alsoKnownAs: ["undo"],
  aliases: { id: ["undo", "undo_id"] },
  input: schema(
    v.pipe(
      v.strictObject({
        repo_path: RepoPath,
        id: v.optional(v.string()),
        limit: v.optional(v.pipe(FromOne, v.maxValue(100))),
        force: v.optional(v.pipe(v.boolean(), v.description("Also an interrupted one"))),
        dry_run: DryRun,
      }),
      // Listing changes nothing, so it needs no confirmation.
      v.transform((input) => ({ ...input, dry_run: input.dry_run === true || input.id === undefined })),
    ),
  ),
  output: tells({
    // Missing for a list.
    changed: v.exactOptional(Changed),
    changes: v.exactOptional(v.array(Change)),
    undone: v.exactOptional(Change),
    // What a dry run says would become of files.
    diff: v.exactOptional(v.string()),
    truncated: v.exactOptional(v.literal(true)),
    // The operation (such as a merge) that the undone change had ended: the undo does not resume it.
    ended: v.exactOptional(v.string()),
    // One that it had ended, and that is in progress again.
    resumed: v.exactOptional(v.string()),
    // Of all that are kept, if not all are listed.
    total: v.exactOptional(v.number()),
  }),
  untrusted: ["changes", "undone", "changed", "diff"],
  confirm: ({ id }) => `Undo ${id}?`,
  run({ repo_path: path, id, limit = DEFAULT_LIMIT, force = false, dry_run: dryRun }, context) {
    const { principal, state } = context;
    const isVisible: IsChangeVisible = (kept) =>
      principal === undefined || state.policy.sharedUndo || kept.principal === principal;
    if (id === undefined) {
      return withRepository(context, path, async (call) => {
        const all = await listChanges(call, isVisible);
        const undone = findUndone(all);
        const shown = all.slice(0, limit).map((kept) => ({
          ...show(kept),
          ...(undone.has(kept.id) && { undone: true as const }),
        }));
        const { items } = fitItems(shown, context.budget);
        const total = items.length < all.length ? { total: all.length } : {};
        return { changes: [...items], ...total };
      });
    }
    const budget = Math.min(context.budget / 2, LONGEST_DIFF);
    return withChange(context, path, async (call, change) => {
      const { kept, ...done } = await undo(call, change, { id, dryRun, force, isVisible, budget });
      return { undone: show(kept), ...done };
    });
  },
  text: ({ changes = [], total, undone, diff, changed = [], undo: id }, { dry_run: dryRun }): TextPart[] => {
    if (undone) {
      const again = id === undefined ? "" : ` Undo id ${id}.`;
      return [
        `${undone.id} ${undone.tool}: ${dryRun ? "would be taken back" : "taken back"}.${again}`,
        untrusted(
          [
            undone.summary,
            `${dryRun ? "would change" : "changed"}: ${changed.join(", ")}`,
            ...(diff === undefined ? [] : ["", diff]),
          ].join("\n"),
        ),
      ];
    }
    if (changes.length === 0) return ["There are no changes to undo."];
    const lines = changes.map(({ id: at, tool, summary, interrupted, reason, undone: isUndone }) => {
      const marks = [
        ...(interrupted ? ["interrupted"] : []),
        ...(reason === undefined ? [] : [`cannot be undone: ${reason}`]),
        ...(isUndone ? ["undone"] : []),
      ];
      return `${at} ${tool}: ${summary}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
    });
    const all = total === undefined ? "Changes" : `${changes.length} of ${countOf(total, "change")}`;
    return [`${all}, the newest first:`, untrusted(lines.join("\n"))];
  },
  note: ({ ended, resumed, total, truncated, changes = [] }, { dry_run: dryRun }) => {
    if (total !== undefined)
      return `The newest ${countOf(changes.length, "change")}: set limit for older ones.`;
    return [
      truncated && "The diff is truncated.",
      resumed !== undefined &&
        `The ${resumed} ${dryRun ? "would be" : "is"} in progress again. git_continue_or_abort ends it; git_undo with "last" goes further back.`,
      ended !== undefined &&
        `The ${ended} itself does not come back with its files: a commit would not conclude it.`,
    ];
  },
});
