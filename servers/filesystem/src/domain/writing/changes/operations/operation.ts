import type { SafePath } from "@suite/server-kit/domain";
import type { RecordedOperation } from "../change-record.ts";
import type { Identity } from "../identity.ts";
import type { OpenChange } from "../open-change.ts";

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
  /** How much is kept by that. */
  readonly bytes: number;
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
  /** Whose locks it needs: nobody else may change these meanwhile. */
  targets(recorded: Recorded): readonly string[];
  /** Makes everything ready without changing anything yet. Returns what will be there, and how much is kept. */
  prepare(planned: Planned, recorded: Recorded, change: OpenChange): Promise<Prepared>;
  perform(recorded: Recorded, change: OpenChange): void;
  isDone(recorded: Recorded, change: OpenChange): boolean;
  /** Of one that is not done: removes what was made ready, and what was half done. */
  abandon(recorded: Recorded, change: OpenChange, isCommitted: boolean): Promise<void>;
  /** Takes back one that is done. false: something else is there by now, which stays. */
  revert(recorded: Recorded, change: OpenChange): Promise<boolean>;
}

export interface Prepared {
  readonly after: Identity;
  readonly bytes: number;
}
