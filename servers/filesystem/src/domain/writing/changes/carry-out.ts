import { type BigIntStats, mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  codeOf,
  countOf,
  etagOf,
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
import { attempt } from "../../attempt.ts";
import { closing, withEntry } from "../../closing.ts";
import { type ChangePlan, pathsIn } from "./change-plan.ts";
import type { Draft, Recorded, RecordedOperation } from "./change-record.ts";
import { readSmallFile, statsOf } from "./identity.ts";
import { addToEnd } from "./operations/append.ts";
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
  /** Nothing is kept once it is done. */
  readonly isPermanent?: boolean;
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
    // There may be room for the record now: without it, "the last change" would be another one.
    attempt(() => recordDone(plan, context));
    requireNoneLeft(left.flat());
    return 0;
  }
}

function recordDone(plan: ChangePlan, context: ChangeContext): void {
  if (context.isPermanent) return;
  const draft = toDraft(plan, context);
  closing(createTrash(context.guard, context.root).folder, (folder) =>
    closing(JournalEntry.begin({ root: context.root, folder }, draft), (entry) => {
      entry.commit(draft);
      entry.finish();
      entry.conclude();
    }),
  );
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
    const replaced = lookAtReplaced(plan, record, change);
    requireCurrent(plan);
    change.entry.commit(record);
    isCommitted = true;
    for (const operation of record.operations) perform(operation, change, replaced);
    change.sync();
    plan.afterwards?.();
    for (const one of replaced) carryOverMissed(one, change);
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
  requireNoneLeft(await concludeDone(record, change));
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

function toDraft(plan: ChangePlan, context: ChangeContext): Draft {
  const { id, owner, guard, root, principal, isPermanent = false } = context;
  const toPath = (path: string): string => toRecorded(guard, root, path);
  return {
    id,
    tool: plan.tool,
    summary: plan.summary,
    owner,
    made: (plan.make ?? []).map(toPath),
    removed: (plan.unmake ?? []).map(toPath),
    operations: plan.operations.map((planned, index) =>
      operationTypeOf(planned).record(planned, String(index), toPath),
    ),
    bytes: 0,
    isPermanent,
    ...(plan.cannotUndo !== undefined && { cannotUndo: plan.cannotUndo }),
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

interface Replaced {
  readonly operation: Recorded<"put">;
  readonly before: BigIntStats;
  readonly etag: string;
}

/** The files that may only be replaced in the version that was read, just before the plan is compared with them. */
function lookAtReplaced(plan: ChangePlan, { operations }: Draft, change: OpenChange): Replaced[] {
  return operations.flatMap((operation, index) => {
    const planned = plan.operations[index];
    const etag = planned?.kind === "put" ? planned.basedOn : undefined;
    if (operation.kind !== "put" || operation.image === undefined || etag === undefined) return [];
    const before = statsOf(change.target(operation.path).at);
    return before ? [{ operation, before, etag }] : [];
  });
}

const isSameVersion = (a: BigIntStats, b: BigIntStats | undefined): boolean =>
  a.ino === b?.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;

/** As much as is read to find out what was added to a file. */
const MOST_MISSED_BYTES = 64 * 1024 * 1024;

/**
 * Other programs do not ask for our locks: one may have written to a file in the moment of its replacement. The old file then
 * has it, if that was kept as it is and not as a copy. What was added to its end is added to the new one as well.
 */
function carryOverMissed(
  { operation: { path, image = "" }, before, etag }: Replaced,
  change: OpenChange,
): void {
  const kept = statsOf(change.image(image));
  if (kept?.ino !== before.ino || isSameVersion(before, kept)) return;
  const bytes = readSmallFile(change.image(image), MOST_MISSED_BYTES);
  const size = Number(before.size);
  if (!bytes || etagOf(bytes.subarray(0, size)) !== etag) throw new StalePlan();
  addToEnd(change.target(path).at, bytes.subarray(size));
}

function perform(operation: RecordedOperation, change: OpenChange, replaced: readonly Replaced[]): void {
  try {
    const targets = pathsIn([operation]).map((path) => change.target(path));
    for (const { path } of targets) requireStillAllowed(change.guard, path);
    const found = replaced.find((one) => one.operation === operation);
    if (found && !isSameVersion(found.before, statsOf(targets[0]?.at ?? ""))) throw new StalePlan();
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
  if (error instanceof StalePlan) return error;
  return SURPRISES.has(codeOf(error)) ? new StalePlan("", { cause: error }) : undefined;
}
