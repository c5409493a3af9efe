import type { SafePath, StopSignal } from "@suite/server-kit/domain";
import type { RecordedOperation } from "./change-record.ts";
import type { Identity } from "./identity.ts";
import type { OpenChange } from "./open-change.ts";

/** A change to carry out completely or not at all. Making a plan changes nothing. */
export interface ChangePlan {
  /** The tool that was called, and `summary` in a few words what it did: for the list of changes. */
  readonly tool: string;
  readonly summary: string;
  /** Directories to create first, outermost first. */
  readonly make?: readonly SafePath[];
  readonly operations: readonly PlannedOperation[];
  /** Directories to remove at the end if they are empty, innermost first. */
  readonly unmake?: readonly SafePath[];
  /** Whether the state that the plan was made from is unchanged. Called while the targets are locked. */
  readonly isCurrent: () => boolean;
  /** Called when everything is done and the targets are still locked, to read the new state. */
  readonly afterwards?: () => void;
  /** Nothing is kept, so it cannot be undone. */
  readonly isForgotten?: boolean;
  /** The change that this one undoes, which is in the trash of this root. */
  readonly undoes?: { readonly id: string; readonly root: string; readonly isRedo: boolean };
}

/** All paths that a plan touches, without duplicates. */
export function pathsOf({ make = [], operations, unmake = [] }: ChangePlan): readonly SafePath[] {
  return [...new Set([...make, ...operations.flatMap((operation) => pathsIn(operation)), ...unmake])];
}

/** The paths that an operation touches, planned or recorded. */
export const pathsIn = <Path extends string>(
  operation:
    | { readonly kind: "move"; readonly from: Path; readonly to: Path }
    | { readonly kind: Exclude<PlannedOperation["kind"], "move">; readonly path: Path },
): Path[] => (operation.kind === "move" ? [operation.from, operation.to] : [operation.path]);

/** The path whose root keeps the change. Entries moved to its trash must be on the same volume. */
export function homePathOf(plan: ChangePlan): string {
  const taken = plan.operations.find((operation) => operation.kind === "take");
  return taken?.path ?? pathsOf({ ...plan, make: [] })[0] ?? plan.make?.[0] ?? "";
}

/** A step of a change. For each, recovery can find out whether it is done, and revert it. */
export type PlannedOperation =
  | PlannedPut
  | PlannedAppend
  | PlannedCut
  | PlannedTake
  | PlannedDrop
  | PlannedMove
  | PlannedRestore;

/** Creates something new at a path that is free or has a file to replace. */
export interface PlannedPut {
  readonly kind: "put";
  readonly path: SafePath;
  readonly replaces: boolean;
  /** Creates it under a temporary name. */
  readonly fill: (temporary: string) => void | Promise<void>;
}

/** Appends to an existing file. */
export interface PlannedAppend {
  readonly kind: "append";
  readonly path: SafePath;
  readonly bytes: Buffer;
}

/** Cuts these bytes off the end of a file. */
export interface PlannedCut {
  readonly kind: "cut";
  readonly path: SafePath;
  readonly bytes: Buffer;
}

/** Moves something into the trash. */
export interface PlannedTake {
  readonly kind: "take";
  readonly path: SafePath;
  /** Its size, if already measured. */
  readonly bytes?: number;
}

/** Deletes something permanently, after all other operations. Requires `isForgotten`. */
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

/** One kind of operation. Methods throw the system's errors unless noted. */
export interface OperationType<Recorded extends RecordedOperation, Planned extends PlannedOperation> {
  /** `toRecorded` converts paths; `image` is a free name in the change's folder. */
  record(planned: Planned, image: string, toRecorded: (path: string) => string): Recorded;
  /** Prepares everything without changing the target. Returns the entry's identity, if needed, and the bytes kept for undo. */
  prepare(
    planned: Planned,
    recorded: Recorded,
    change: OpenChange,
    signal: StopSignal,
  ): Promise<PreparedChange>;
  perform(recorded: Recorded, change: OpenChange): void;
  isDone(recorded: Recorded, change: OpenChange): boolean;
  /** For an operation that is not done: removes what was prepared or half done. */
  abandon(recorded: Recorded, change: OpenChange, isCommitted: boolean): Promise<void>;
  /** Reverts an operation that is done. false: something else is there now, which is kept. */
  revert(recorded: Recorded, change: OpenChange): Promise<boolean>;
}

export interface PreparedChange {
  readonly identity?: Identity;
  readonly bytes: number;
}
