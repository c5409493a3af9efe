import type { SafePath, StopSignal } from "@suite/server-kit/domain";
import type { RecordedOperation } from "./change-record.ts";
import type { Identity } from "./identity.ts";
import type { OpenChange } from "./open-change.ts";

/** What is to happen, all of it or nothing. Made by looking only; nothing has changed yet. */
export interface ChangePlan {
  /** The tool that was called, and in a few words what it did: for the list of changes. */
  readonly tool: string;
  readonly summary: string;
  /** Directories to be made first, outermost first. */
  readonly make?: readonly SafePath[];
  readonly operations: readonly PlannedOperation[];
  /** Directories to be removed at the end if they are empty by then, innermost first. */
  readonly unmake?: readonly SafePath[];
  /** Whether what the plan was made from is still so. Asked when nobody else can change it any more. */
  readonly isCurrent: () => boolean;
  /** Called when everything is done and nobody else has had a chance to change it: what it is now can be told then. */
  readonly afterwards?: () => void;
  /** Nothing is kept: it cannot be undone. */
  readonly isForgotten?: boolean;
  /** The change that this one takes back, which lies in the trash of this root. */
  readonly undoes?: { readonly id: string; readonly root: string; readonly isRedo: boolean };
}

/** Everything it touches, each path once. */
export function pathsOf({ make = [], operations, unmake = [] }: ChangePlan): readonly SafePath[] {
  return [...new Set([...make, ...operations.flatMap((operation) => pathsIn(operation)), ...unmake])];
}

/** What an operation touches, planned or recorded. */
export const pathsIn = <Path extends string>(
  operation:
    | { readonly kind: "move"; readonly from: Path; readonly to: Path }
    | { readonly kind: Exclude<PlannedOperation["kind"], "move">; readonly path: Path },
): Path[] => (operation.kind === "move" ? [operation.from, operation.to] : [operation.path]);

/** Whose root keeps it. What is moved into the trash must be on the same volume as that. */
export function homePathOf(plan: ChangePlan): string {
  const taken = plan.operations.find((operation) => operation.kind === "take");
  return taken?.path ?? pathsOf({ ...plan, make: [] })[0] ?? plan.make?.[0] ?? "";
}

/** What a change is made of. Each can be told done from not done, and taken back. */
export type PlannedOperation =
  | PlannedPut
  | PlannedAppend
  | PlannedCut
  | PlannedTake
  | PlannedDrop
  | PlannedMove
  | PlannedRestore;

/** Puts something new in a place: nothing may be there, or a file that it replaces. */
export interface PlannedPut {
  readonly kind: "put";
  readonly path: SafePath;
  readonly replaces: boolean;
  /** Makes it under a temporary name. */
  readonly fill: (temporary: string) => void | Promise<void>;
}

/** Adds to the end of a file that is there. */
export interface PlannedAppend {
  readonly kind: "append";
  readonly path: SafePath;
  readonly bytes: Buffer;
}

/** Takes off what a file ends with. */
export interface PlannedCut {
  readonly kind: "cut";
  readonly path: SafePath;
  readonly bytes: Buffer;
}

/** Moves something into the trash. */
export interface PlannedTake {
  readonly kind: "take";
  readonly path: SafePath;
  /** How much is kept by that, where it was measured already. */
  readonly bytes?: number;
}

/** Removes something for good, once everything else is done. The change must be a forgotten one. */
export interface PlannedDrop {
  readonly kind: "drop";
  readonly path: SafePath;
}

export interface PlannedMove {
  readonly kind: "move";
  readonly from: SafePath;
  readonly to: SafePath;
  readonly replaces: boolean;
}

/** Moves something back out of an earlier change's folder. */
export interface PlannedRestore {
  readonly kind: "restore";
  readonly path: SafePath;
  readonly entry: string;
  readonly image: string;
}

/** One kind of operation. Where nothing is said of a failure, it throws what the system threw. */
export interface OperationType<Recorded extends RecordedOperation, Planned extends PlannedOperation> {
  /** `toRecorded` is for paths; `image` is a free name in the change's folder. */
  record(planned: Planned, image: string, toRecorded: (path: string) => string): Recorded;
  /** Makes everything ready without changing anything yet. Returns what the entry is, where that counts, and how much is kept. */
  prepare(
    planned: Planned,
    recorded: Recorded,
    change: OpenChange,
    signal: StopSignal,
  ): Promise<PreparedChange>;
  perform(recorded: Recorded, change: OpenChange): void;
  isDone(recorded: Recorded, change: OpenChange): boolean;
  /** Of one that is not done: removes what was made ready, and what was half done. */
  abandon(recorded: Recorded, change: OpenChange, isCommitted: boolean): Promise<void>;
  /** Takes back one that is done. false: something else is there by now, which stays. */
  revert(recorded: Recorded, change: OpenChange): Promise<boolean>;
}

export interface PreparedChange {
  readonly identity?: Identity;
  readonly bytes: number;
}
