import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, defuse, quoteShown, reveal } from "@suite/server-kit/domain";
import { Changed, Count, DryRun, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import type { IsChangeVisible, ListedChange } from "../domain/writing/changes/change-list.ts";
import { withGuard } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";

const Change = v.object({
  id: v.string(),
  time: v.string(),
  tool: v.string(),
  summary: v.string(),
  paths: v.array(v.string()),
  paths_total: v.exactOptional(Count),
  undoable: v.exactOptional(v.literal(false)),
  reason: v.exactOptional(v.string()),
});

const ONE_BY_ONE = 'one call undoes one change: give id: "last", and repeat it to go further back.';
const DEFAULT_LIMIT = 20;

export const undoTool = defineTool({
  name: "undo",
  title: "Undo a change",
  description:
    'Without id: lists this server\'s recent changes. With id, or "last": undoes that change, unless files have changed since ' +
    "(force overrides). An undo that returns an undo id can be undone.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  view: "history",
  version: 6,
  argumentHints: { count: ONE_BY_ONE, steps: ONE_BY_ONE },
  input: schema(
    v.pipe(
      v.strictObject({
        id: v.optional(v.string()),
        force: v.optional(v.boolean()),
        limit: v.optional(v.pipe(FromOne, v.maxValue(100))),
        dry_run: DryRun,
      }),
      // Listing changes nothing, so it needs no confirmation.
      v.transform((input) => ({ ...input, dry_run: input.dry_run === true || input.id === undefined })),
    ),
  ),
  output: schema(
    v.object({
      changes: v.exactOptional(v.array(Change)),
      truncated: v.exactOptional(v.boolean()),
      // Its paths are among those that are changed, unless it names them.
      undone: v.exactOptional(v.object({ ...Change.entries, paths: v.exactOptional(v.array(v.string())) })),
      diff: v.exactOptional(v.string()),
      ...applied,
      // Missing for a list.
      changed: v.exactOptional(Changed),
    }),
  ),
  untrusted: ["diff"],
  async run({ id, force, limit = DEFAULT_LIMIT, dry_run: isDryRun }, context) {
    const { principal, state } = context;
    const isVisible: IsChangeVisible = (record) =>
      principal === undefined || state.changes.options.isShared === true || record.principal === principal;
    if (id === undefined) {
      const { listChanges } = await import("../domain/writing/changes/change-list.ts");
      const scope = { isVisible, kept: state.changes.kept };
      return withGuard(context, (guard) => listChanges(guard, limit, context.budget, scope));
    }
    const { undoChange } = await import("../domain/writing/undo-change.ts");
    const { undone, ...done } = await withChange(context, isDryRun, (request) =>
      undoChange(request, { id, force }, isVisible),
    );
    const { paths, paths_total: _, ...facts } = undone;
    const isTold = paths.every((path) => done.changed.includes(path));
    return { undone: isTold ? facts : undone, ...done };
  },
  text(result, { dry_run: isDryRun }): TextPart[] {
    const { undone, diff, changes = [], changed = [], changed_total: total = changed.length } = result;
    if (undone) {
      const named = { paths: changed, paths_total: total, ...undone };
      const paths = changed.filter((path) => !named.paths.includes(path)).map(quoteShown);
      const rest = undone.paths && total > changed.length ? [`… and ${total - changed.length} more`] : [];
      const did = isDryRun ? "would be taken back" : "taken back";
      const shown = diff === undefined ? [] : [untrusted(diff)];
      return [`${describe(named)}: ${did}.${howToUndo(result)}`, ...paths, ...rest, ...shown];
    }
    if (changes.length === 0) return ["There are no changes to undo."];
    return ["Changes, the newest first:", ...changes.map(describe)];
  },
  note: ({ truncated, diff, changes = [] }) => [
    truncated &&
      (diff === undefined
        ? `The newest ${countOf(changes.length, "change")}: set limit for older ones.`
        : "The diff is truncated."),
  ],
});

function describe({
  id,
  time,
  tool,
  summary,
  paths,
  paths_total: total = paths.length,
  reason,
}: ListedChange): string {
  const more = total > paths.length && paths.length > 0 ? ` and ${total - paths.length} more` : "";
  const where = paths.length > 0 ? paths.map(quoteShown).join(", ") : countOf(total, "path");
  const how = reason === undefined ? "" : ` (cannot be undone: ${toWords(reason)})`;
  return `${id} ${time} ${toWords(tool)} ${where}${more}: ${toWords(summary)}${how}`;
}

/** Records are untrusted: other programs can write to their folder. */
const toWords = (text: string): string => defuse(reveal(text)).replaceAll(/\s+/g, " ");
