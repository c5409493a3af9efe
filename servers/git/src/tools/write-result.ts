import { type TextPart, untrusted } from "@suite/server-kit";
import * as v from "valibot";
import { Changed } from "@suite/server-kit/schemas";

import type { Change } from "../domain/writing/changes.ts";
import { UndoId } from "./schemas.ts";

/** In the result of every write. */
export const WRITTEN = { changed: Changed, undo_id: UndoId };

export interface Written {
  readonly changed: readonly string[];
  readonly undo_id?: string;
}

/** How the write can be taken back, where it can. */
export const undoOf = ({ id }: Change): { undo_id?: string } => (id === undefined ? {} : { undo_id: id });

const MOST_NAMED = 50;

/** What happened in one line, then to what. The names are the repository's. */
export function renderWritten(did: string, { changed, undo_id: id }: Written): TextPart[] {
  const named = changed.slice(0, MOST_NAMED);
  const more = changed.length - named.length;
  return [
    `${did}${id === undefined ? "" : ` (undo with git_undo id: "${id}")`}${named.length === 0 ? "" : ":"}`,
    ...(named.length === 0
      ? []
      : [untrusted([...named, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n"))]),
  ];
}

export const Files: v.GenericSchema<string[]> = v.pipe(v.array(v.string()), v.minLength(1));
