import type { SafePath, StopSignal } from "@suite/server-kit/domain";
import type { Recorded } from "./change-record.ts";
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
  /** Why it cannot be undone: it is in the list of changes nevertheless. */
  readonly cannotUndo?: string | undefined;
  /** The change that this one undoes, which is in the trash of this root. */
  readonly undoes?: { readonly id: string; readonly root: string; readonly isRedo: boolean };
}

/** All paths that a plan touches, without duplicates. */
export function pathsOf({ make = [], operations, unmake = [] }: ChangePlan): readonly SafePath[] {
  return [...new Set([...make, ...pathsIn(operations), ...unmake])];
}

/** The paths that operations touch, planned or recorded. */
export const pathsIn = <Path extends string>(
  operations: readonly (
    | { readonly kind: "move"; readonly from: Path; readonly to: Path }
    | { readonly kind: Exclude<PlannedOperation["kind"], "move">; readonly path: Path }
  )[],
): Path[] =>
  operations.flatMap((operation) =>
    operation.kind === "move" ? [operation.from, operation.to] : [operation.path],
  );

/** The path whose root keeps the change. Entries moved to its trash must be on the same volume. */
export function homePathOf(plan: ChangePlan): string {
  const taken = plan.operations.find((operation) => operation.kind === "take");
  return taken?.path ?? pathsOf({ ...plan, make: [] })[0] ?? plan.make?.[0] ?? "";
}

/** A step of a change. For each, recovery can find out whether it is done, and revert it. */
export type PlannedOperation =
  // Creates something new, under a temporary name first, at a path that is free or has a file to replace.
  | {
      readonly kind: "put";
      readonly path: SafePath;
      readonly replaces: boolean;
      /** The etag of the content that the new one was made from, if no other content may be replaced. */
      readonly basedOn?: string | undefined;
      readonly fill: (temporary: string) => void | Promise<void>;
    }
  // Adds these bytes to the end of an existing file, or cuts them off.
  | { readonly kind: "append"; readonly path: SafePath; readonly bytes: Buffer }
  | { readonly kind: "cut"; readonly path: SafePath; readonly bytes: Buffer }
  // Moves something into the trash. `bytes` is its size, if already measured.
  | { readonly kind: "take"; readonly path: SafePath; readonly bytes?: number }
  // Deletes something permanently, after all other operations. Requires `cannotUndo`, unless nothing is kept anyway.
  | { readonly kind: "drop"; readonly path: SafePath }
  | { readonly kind: "move"; readonly from: SafePath; readonly to: SafePath; readonly replaces: boolean }
  // Moves something back out of an earlier change's folder.
  | { readonly kind: "restore"; readonly path: SafePath; readonly entry: string; readonly image: string };

type Planned<Kind extends PlannedOperation["kind"]> = Extract<PlannedOperation, { readonly kind: Kind }>;

/** One kind of operation. Methods throw the system's errors unless noted. */
export interface OperationType<Kind extends PlannedOperation["kind"]> {
  /** `toRecorded` converts paths; `image` is a free name in the change's folder. */
  record(planned: Planned<Kind>, image: string, toRecorded: (path: string) => string): Recorded<Kind>;
  /** Prepares everything without changing the target. Returns the entry's identity, if needed, and the bytes kept for undo. */
  prepare(
    planned: Planned<Kind>,
    recorded: Recorded<Kind>,
    change: OpenChange,
    signal: StopSignal,
  ): PreparedChange | Promise<PreparedChange>;
  perform(recorded: Recorded<Kind>, change: OpenChange): void;
  isDone(recorded: Recorded<Kind>, change: OpenChange): boolean;
  /** For an operation that is not done: removes what was prepared or half done. */
  abandon?(recorded: Recorded<Kind>, change: OpenChange, isCommitted: boolean): void | Promise<void>;
  /** Reverts an operation that is done. false: something else is there now, which is kept. */
  revert(recorded: Recorded<Kind>, change: OpenChange): boolean | Promise<boolean>;
}

export interface PreparedChange {
  readonly identity?: Identity;
  readonly bytes: number;
}
