import type { SafePath } from "@suite/server-kit/domain";
import type { PlannedOperation } from "./operations/operation.ts";

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
  readonly undoes?: { readonly id: string; readonly root: string };
}

/** Everything it touches, each path once. */
export function pathsOf({ make = [], operations, unmake = [] }: ChangePlan): readonly SafePath[] {
  const touched = operations.flatMap((operation) =>
    operation.kind === "move" ? [operation.from, operation.to] : [operation.path],
  );
  return [...new Set([...make, ...touched, ...unmake])];
}

/** Whose root keeps it. What is moved into the trash must be on the same volume as that. */
export function homePathOf(plan: ChangePlan): string {
  const taken = plan.operations.find(({ kind }) => kind === "take") as { readonly path: string } | undefined;
  return taken?.path ?? pathsOf({ ...plan, make: [] })[0] ?? plan.make?.[0] ?? "";
}
