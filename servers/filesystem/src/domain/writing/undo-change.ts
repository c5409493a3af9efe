import { Fault, quotePath, quoteShown } from "@suite/server-kit/domain";
import { type Applied, applyChange, type ChangeRequest } from "./changes/apply-change.ts";
import {
  findChange,
  type FoundChange,
  type IsChangeVisible,
  type ListedChange,
  toListed,
} from "./changes/change-list.ts";
import { type ChangePlan, pathsIn } from "./changes/change-plan.ts";
import { toAbsolute } from "./changes/open-change.ts";
import type { Preview } from "./source-text.ts";
import { planUndo, type UndoPlan } from "./undo-plan.ts";
import { previewUndo } from "./undo-preview.ts";

export interface UndoInput {
  /** The id of a change, or "last". */
  readonly id: string;
  readonly force?: boolean | undefined;
}

export interface Undone extends Preview {
  undone: ListedChange;
}

/** Undoes a change, completely or not at all. Refuses if its files have changed since, unless `force` is set. */
export async function undoChange(
  request: ChangeRequest,
  { id, force = false }: UndoInput,
  isVisible?: IsChangeVisible,
): Promise<Undone & Applied> {
  const { guard, journal } = request;
  const { kept } = journal;
  if (id === "last" && !journal.options.keep) throw refuseUnknownLast();
  const change = findChange(guard, id, { isVisible, kept });
  requireUndoable(change, toListed(guard, change), id);
  const { record, root } = change;
  const keys = pathsIn(record.operations).map((path) => toAbsolute(root, path));
  return applyChange(request, keys, () => {
    // Another call may have undone it while this one waited.
    findChange(guard, record.id, { kept });
    const undo = planUndo(guard, change);
    // If the undo itself cannot be undone, later changes would be lost for good.
    const mayReplace = force && undo.cannotUndo === undefined && journal.options.keep;
    if (!mayReplace) requireNoConflicts(undo, journal.options.keep);
    const plan: ChangePlan = {
      tool: "undo",
      summary: `undid: ${record.tool} ${record.summary}`,
      ...undo,
      undoes: { id: record.id, root, isRedo: record.undoes !== undefined && record.isRedo !== true },
      isCurrent: () => mayReplace || planUndo(guard, change).conflicts.length === 0,
    };
    const preview = request.isDryRun ? previewUndo(guard, change) : {};
    return { plan, describe: () => ({ undone: toListed(guard, change), ...preview }) };
  });
}

/** A newer change that cannot be undone is not passed over: the caller means that one. */
function requireUndoable({ record }: FoundChange, { tool, paths }: ListedChange, id: string): void {
  if (record.cannotUndo === undefined) return;
  const which = id === "last" ? "The last change" : `The change ${record.id}`;
  const where = paths[0] === undefined ? "" : ` ${quoteShown(paths[0])}`;
  throw new Fault("unsupported", `${which}, ${tool}${where}, cannot be undone: ${record.cannotUndo}`, {
    hint: "Nothing was changed. To undo an older change, give its id: undo without id lists them.",
    details: { id: record.id },
  });
}

const refuseUnknownLast = (): Fault =>
  new Fault(
    "unsupported",
    "The last change cannot be undone: the server runs with --no-undo and keeps none",
    {
      hint: "Nothing was changed. To undo a change from before, give its id: undo without id lists them.",
    },
  );

function requireNoConflicts({ conflicts, cannotUndo }: UndoPlan, isKept: boolean): void {
  const [first, ...others] = conflicts;
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  throw new Fault("conflict", `${quotePath(first)}${more} changed since then`, {
    hint:
      cannotUndo !== undefined || !isKept
        ? `Move it away first, then undo again. ${isKept ? "This undo spans two volumes and" : "With --no-undo, an undo"} cannot be undone, so force does not apply.`
        : "Look at it first. force restores the old state anyway, and can itself be undone.",
    details: { conflicts: conflicts.slice(0, 20) },
  });
}
