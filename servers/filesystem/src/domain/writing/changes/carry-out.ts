import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  codeOf,
  countOf,
  Fault,
  type PathGuard,
  quotePath,
  type SafePath,
  type StopSignal,
  TimeSlices,
  toAbortFault,
  toFault,
  toPathText,
} from "@suite/server-kit/domain";
import { closing, withEntry } from "../../closing.ts";
import { type ChangePlan, pathsIn } from "./change-plan.ts";
import type { Draft, RecordedOperation } from "./change-record.ts";
import { JournalEntry } from "./journal-entry.ts";
import { operationTypeOf } from "./operations/operation-types.ts";
import { removeWhatGoes } from "./remove-tree.ts";
import type { ProcessMark } from "./process-mark.ts";
import { OpenChange, toRecorded } from "./open-change.ts";
import { concludeDone, concludeTakenBack, type LeftEntry, takeBackAll } from "./conclude-change.ts";
import { lockTargets } from "./lock-file.ts";
import { createTrash } from "./trash.ts";

/** Something changed after the plan was made: it has to be made again. */
export class StalePlan extends Error {
  override readonly name = "StalePlan";
}

export interface ChangeContext {
  readonly id: string;
  readonly owner: ProcessMark;
  readonly guard: PathGuard;
  /** The root in whose trash the change is kept. */
  readonly root: string;
  readonly signal: StopSignal;
  /** The caller, if callers are authenticated. */
  readonly principal?: string | undefined;
}

/**
 * Carries out a plan, completely or not at all. If the process is killed at any moment, recovery can finish it or roll it back.
 * Returns the number of bytes kept for undo.
 */
export async function carryOut(plan: ChangePlan, context: ChangeContext): Promise<number> {
  try {
    return await carryOutRecorded(plan, context);
  } catch (error) {
    const { operations } = plan;
    const dropped = operations.flatMap((operation) => (operation.kind === "drop" ? [operation.path] : []));
    if (!isFull(error) || dropped.length === 0 || dropped.length < operations.length) throw error;
    // The disk is too full for a record. Permanent deletions need none, and free space.
    const left = await Promise.all(dropped.map((path) => removeAt(context.guard, path)));
    requireNoneLeft(left.flat());
    return 0;
  }
}

async function carryOutRecorded(plan: ChangePlan, context: ChangeContext): Promise<number> {
  const trash = createTrash(context.guard, context.root);
  return closing(trash.folder, () => {
    const draft = toDraft(plan, context);
    return closing(JournalEntry.begin(trash, draft), (entry) =>
      closing(new OpenChange(context.guard, trash, entry), (change) =>
        carryOutIn(change, plan, draft, context),
      ),
    );
  });
}

async function carryOutIn(
  change: OpenChange,
  plan: ChangePlan,
  draft: Draft,
  { owner, signal }: ChangeContext,
): Promise<number> {
  const made: string[] = [];
  let record: Draft = { ...draft, made };
  let isCommitted = false;
  let release = (): void => undefined;
  try {
    for (const path of plan.make ?? []) {
      makeDirectory(change.guard, path);
      made.push(toRecorded(change.guard, change.trash.root, path));
    }
    release = await lockTargets(change, pathsIn(record.operations), { owner, signal });
    requireCurrent(plan);
    record = await prepareAll(change, plan, record, signal);
    if (signal.aborted) throw toAbortFault(signal);
    requireCurrent(plan);
    change.entry.commit(record);
    isCommitted = true;
    for (const operation of record.operations) perform(operation, change);
    change.sync();
    plan.afterwards?.();
    change.entry.finish();
  } catch (error) {
    if (isCommitted) change.entry.turnBack();
    const isClean = await takeBackAll(record, change, isCommitted);
    release();
    await concludeTakenBack(record, change, isClean).catch(() => undefined);
    throw isClean ? error : toPartialFault(error, record.id);
  }
  release();
  // It is done and recorded: if the cleanup fails, recovery repeats it at the next start.
  requireNoneLeft(await concludeDone(record, change).catch(() => []));
  return record.bytes;
}

/** Also finds it as the cause of another error. */
export function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT" || (error instanceof Error && isFull(error.cause));
}

async function removeAt(guard: PathGuard, path: SafePath): Promise<LeftEntry[]> {
  const left = await withEntry(guard, path, removeWhatGoes);
  return left.map(({ below, error }) => ({ path: join(path, below), error }));
}

const MOST_NAMED = 20;

function requireNoneLeft(left: readonly LeftEntry[]): void {
  const [first] = left;
  if (!first) return;
  const { code, message } = toFault(first.error, quotePath(first.path));
  const others = left.length > 1 ? `, and ${countOf(left.length - 1, "other entry")}` : "";
  throw new Fault(code, `Not everything could be deleted: ${message}${others}`, {
    hint: "The named entries and their parent directories remain. Everything else is permanently deleted.",
    details: { left: left.slice(0, MOST_NAMED).map(({ path }) => path), left_total: left.length },
    cause: first.error,
  });
}

const toPartialFault = (cause: unknown, id: string): Fault =>
  new Fault("conflict", "The change failed halfway, and a part of it could not be undone", {
    hint: `Another program changed something meanwhile. See the state before with undo, id "${id}" and dry_run.`,
    details: { undo: id },
    cause,
  });

function toDraft(plan: ChangePlan, { id, owner, guard, root, principal }: ChangeContext): Draft {
  const toPath = (path: string): string => toRecorded(guard, root, path);
  return {
    id,
    tool: plan.tool,
    summary: plan.summary,
    owner,
    made: (plan.make ?? []).map(toPath),
    unmade: (plan.unmake ?? []).map(toPath),
    operations: plan.operations.map((planned, index) =>
      operationTypeOf(planned).record(planned, String(index), toPath),
    ),
    bytes: 0,
    isForgotten: plan.isForgotten ?? false,
    ...(plan.undoes && { undoes: plan.undoes.id, isRedo: plan.undoes.isRedo }),
    ...(principal !== undefined && { principal }),
  };
}

function makeDirectory(guard: PathGuard, path: SafePath): void {
  requireStillAllowed(guard, path);
  try {
    withEntry(guard, path, (at) => mkdirSync(at));
  } catch (error) {
    throw toStale(error) ?? toFault(error, toPathText(path));
  }
}

/** Checks again: calls that ran meanwhile may have made the path protected. */
function requireStillAllowed(guard: PathGuard, path: SafePath): void {
  guard.locateExact(path, { intent: "write", follow: false });
}

function requireCurrent(plan: ChangePlan): void {
  if (!plan.isCurrent()) throw new StalePlan();
}

async function prepareAll(
  change: OpenChange,
  plan: ChangePlan,
  record: Draft,
  signal: StopSignal,
): Promise<Draft> {
  const slices = new TimeSlices(signal);
  const operations: RecordedOperation[] = [];
  let bytes = 0;
  for (const [index, recorded] of record.operations.entries()) {
    const planned = plan.operations[index];
    if (!planned) break;
    try {
      const prepared = await operationTypeOf(recorded).prepare(planned, recorded, change, signal);
      operations.push({ ...recorded, ...(prepared.identity && { identity: prepared.identity }) });
      bytes += prepared.bytes;
    } catch (error) {
      throw toStepError(error, recorded, change);
    }
    await slices.look();
  }
  return { ...record, operations, bytes };
}

function perform(operation: RecordedOperation, change: OpenChange): void {
  try {
    for (const path of pathsIn([operation])) requireStillAllowed(change.guard, change.target(path).path);
    operationTypeOf(operation).perform(operation, change);
  } catch (error) {
    throw toStepError(error, operation, change);
  }
}

/** Names the path: the system's errors contain internal ones. */
function toStepError(error: unknown, operation: RecordedOperation, change: OpenChange): Error {
  const recorded = operation.kind === "move" ? operation.from : operation.path;
  return toStale(error) ?? toFault(error, toPathText(change.target(recorded).path));
}

/** Errors that mean something changed after the plan was made. */
const SURPRISES: ReadonlySet<unknown> = new Set(["EEXIST", "ENOENT", "ENOTEMPTY", "ENOTDIR", "EISDIR"]);

function toStale(error: unknown): StalePlan | undefined {
  return SURPRISES.has(codeOf(error)) ? new StalePlan("", { cause: error }) : undefined;
}
