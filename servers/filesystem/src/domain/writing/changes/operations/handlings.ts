import type { RecordedOperation } from "../change-record.ts";
import { append, cut } from "./append.ts";
import { drop } from "./drop.ts";
import { move } from "./move.ts";
import type { Handling, PlannedOperation } from "./operation.ts";
import { put } from "./put.ts";
import { restore } from "./restore.ts";
import { take } from "./take.ts";

const HANDLINGS = { put, append, cut, take, drop, move, restore } as const;

/** Each row of the table is for one kind only; that a kind always meets its own row is more than types can say. */
export const handlingOf = ({
  kind,
}: {
  readonly kind: RecordedOperation["kind"];
}): Handling<RecordedOperation, PlannedOperation> => HANDLINGS[kind];
