import { parseCursor, toCursor } from "./cursor.ts";
import type { JsonValue } from "./json-value.ts";

/** How a page of results ends. */
export interface PageEnd {
  readonly truncated: boolean;
  readonly next_cursor?: string;
}

/** Where a page starts. `about`: the arguments that decide what is listed, which the next call must repeat. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who made the cursor knows what is in it
export function fromCursor<Place>(
  cursor: string | undefined,
  about: JsonValue,
  expand?: (short: JsonValue) => Iterable<JsonValue>,
): Place | undefined {
  return cursor === undefined ? undefined : parseCursor<Place>(cursor, about, expand);
}

export function toPageEnd(
  isTruncated: boolean,
  place: JsonValue | undefined,
  about: JsonValue,
  short?: JsonValue,
): PageEnd {
  return isTruncated && place !== undefined
    ? { truncated: true, next_cursor: toCursor(place, about, short) }
    : { truncated: false };
}
