import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, fitItems } from "@suite/server-kit/domain";
import { DryRun, Limit } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { JournalEntry, IsEntryVisible } from "../domain/writing/journal.ts";
import { listEntries } from "../domain/writing/journal.ts";
import { undo } from "../domain/writing/undo.ts";
import { withChange, withRepository } from "../state.ts";
import { RepoPath } from "./schemas.ts";
import { tells } from "./write-result.ts";

const Operation = v.object({
  id: v.string(),
  time: v.string(),
  tool: v.string(),
  summary: v.string(),
  interrupted: v.exactOptional(v.literal(true)),
  undoable: v.exactOptional(v.literal(false)),
  // Why it cannot be undone.
  reason: v.exactOptional(v.string()),
});

const DEFAULT_LIMIT = 10;

const show = ({ id, time, tool, summary, after, irreversible }: JournalEntry) => ({
  id,
  time,
  tool,
  summary,
  ...(after === undefined && { interrupted: true as const }),
  ...(irreversible !== undefined && { undoable: false as const, reason: irreversible }),
});

export const gitUndo = defineTool({
  name: "git_undo",
  title: "Undo",
  description:
    'Without id: lists the recent writes of this server. With id, or "last": undoes one, unless something changed since.',
  effects: "destructive",
  touches: "the repository and its work tree",
  group: "core",
  version: 4,
  formerly: ["undo"],
  aliases: { id: ["undo_id"] },
  input: schema(
    v.pipe(
      v.strictObject({
        repo_path: RepoPath,
        id: v.optional(v.string()),
        limit: v.optional(v.pipe(Limit, v.maxValue(100))),
        force: v.optional(v.pipe(v.boolean(), v.description("Also an interrupted one"))),
        dry_run: DryRun,
      }),
      // Listing changes nothing, so it needs no confirmation.
      v.transform((input) => ({ ...input, dry_run: input.dry_run === true || input.id === undefined })),
    ),
  ),
  output: tells({
    operations: v.exactOptional(v.array(Operation)),
    undone: v.exactOptional(Operation),
    // The operation (such as a merge) that the undone write had ended: the undo does not resume it.
    ended: v.exactOptional(v.string()),
    dry_run: v.exactOptional(v.boolean()),
  }),
  untrusted: ["operations[].summary", "undone.summary", "changed"],
  confirm: ({ id }) => `Undo ${id}?`,
  run({ repo_path: path, id, limit = DEFAULT_LIMIT, force = false, dry_run: dryRun }, context) {
    const { principal, state } = context;
    const isVisible: IsEntryVisible = (entry) =>
      principal === undefined || state.policy.sharedUndo || entry.principal === principal;
    if (id === undefined) {
      return withRepository(context, path, async (call) => {
        const entries = await listEntries(call, isVisible);
        const { items } = fitItems(entries.slice(0, limit).map(show), context.budget);
        return { operations: [...items], changed: [], dry_run: false };
      });
    }
    return withChange(context, path, async (call, change) => {
      const { entry, ...done } = await undo(call, change, { id, dryRun, force, isVisible });
      return { undone: show(entry), ...done };
    });
  },
  text: ({ operations = [], undone, changed, undo_id: id }, { dry_run: dryRun }): TextPart[] => {
    if (undone) {
      const again = id === undefined ? "" : ` (redo with git_undo id: "${id}")`;
      return [
        `${dryRun ? "Would undo" : "Undid"} ${undone.tool} ${undone.id}${again}:`,
        untrusted(
          [undone.summary, `${dryRun ? "would change" : "changed"}: ${changed.join(", ")}`].join("\n"),
        ),
      ];
    }
    if (operations.length === 0) return ["There is nothing to undo."];
    const lines = operations.map(({ id: at, tool, summary, interrupted, undoable }) => {
      const marks = [interrupted ? "interrupted" : "", undoable === false ? "cannot be undone" : ""].filter(
        Boolean,
      );
      return `${at} ${tool}: ${summary}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`;
    });
    return [`${countOf(operations.length, "operation")}, latest first:`, untrusted(lines.join("\n"))];
  },
  note: ({ ended }) =>
    ended && `The ${ended} itself does not come back with its files: a commit would not conclude it.`,
});
