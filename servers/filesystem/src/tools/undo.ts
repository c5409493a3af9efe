import { defineTool, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { defuse, quotePath, reveal } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { Applied } from "../domain/writing/changes/apply-change.ts";
import type { ListedChange } from "../domain/writing/changes/change-list.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { ByteCount, Count, DryRun } from "./schemas.ts";

const Change = v.object({
  id: v.string(),
  time: v.string(),
  tool: v.string(),
  summary: v.string(),
  paths: v.array(v.string()),
  paths_total: ByteCount,
});

const DEFAULT_LIMIT = 20;
const MOST_NAMED = 20;

export const undoTool: ToolDefinition<FilesystemState> = defineTool({
  name: "undo",
  title: "Undo a change",
  description:
    'Without id: lists this server\'s recent changes. With id, or "last": takes that change back, unless files changed since ' +
    "(then force). An undo can be undone.",
  effects: "destructive",
  touches: "files in the allowed directories",
  group: "write",
  input: schema(
    v.pipe(
      v.strictObject({
        id: v.optional(v.string()),
        force: v.optional(v.boolean()),
        limit: v.optional(v.pipe(Count, v.maxValue(200))),
        dry_run: DryRun,
      }),
      // A list changes nothing, so nobody need be asked about it.
      v.transform((input) => ({ ...input, dry_run: input.dry_run === true || input.id === undefined })),
    ),
  ),
  output: schema(
    v.object({
      changes: v.exactOptional(v.array(Change)),
      truncated: v.exactOptional(v.boolean()),
      undone: v.exactOptional(Change),
      ...applied,
    }),
  ),
  async run({ id, force, limit = DEFAULT_LIMIT, dry_run: isDryRun }, context: FilesystemContext) {
    if (id === undefined) {
      const { listChanges } = await import("../domain/writing/changes/change-list.ts");
      return withGuard(context, (guard) => ({ ...listChanges(guard, limit), changed: [], dry_run: false }));
    }
    const { undoChange } = await import("../domain/writing/undo-change.ts");
    return withChange(context, isDryRun, (request) => undoChange(request, { id, force }));
  },
  text: render,
});

type Result = Applied & { changes?: ListedChange[]; truncated?: boolean; undone?: ListedChange };

function render(result: Result): TextPart[] {
  const { undone, changes = [], truncated, changed, dry_run: isDryRun } = result;
  if (undone) {
    const did = isDryRun ? "would be taken back" : "taken back";
    const paths = changed.slice(0, MOST_NAMED).map((path) => quotePath(path));
    const rest = changed.length > MOST_NAMED ? [`… and ${changed.length - MOST_NAMED} more`] : [];
    return [`${describe(undone)}: ${did}.${howToUndo(result)}`, ...paths, ...rest];
  }
  if (changes.length === 0) return ["There are no changes to undo."];
  return [...changes.map(describe), ...(truncated ? ["There are older ones: set limit."] : [])];
}

function describe({ id, time, tool, summary, paths, paths_total: total }: ListedChange): string {
  const more = total > paths.length ? ` and ${total - paths.length} more` : "";
  return `${id} ${time} ${toWords(tool)} ${paths.map(quotePath).join(", ")}${more}: ${toWords(summary)}`;
}

/** Records lie where others can write, too. */
const toWords = (text: string): string => defuse(reveal(text)).replaceAll(/\s+/g, " ");
