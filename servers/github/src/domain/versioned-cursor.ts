import { digestOf, Fault, fromCursor, isCount, type JsonValue, toCursor } from "@suite/server-kit/domain";

type Place = readonly number[];

/** A number, to keep the cursor short. */
const toMark = (version: string): number => Number.parseInt(digestOf(version, 6), 16);

/** A cursor for the rest of something that may change until it is used. `version` differs if it has. */
export const toVersionedCursor = (place: Place, about: JsonValue, version: string): string =>
  toCursor([toMark(version), ...place], about);

/** The place of a cursor, or `start` without one. Throws if it would continue in another version. */
export function fromVersionedCursor<P extends Place>(
  cursor: string | undefined,
  about: JsonValue,
  version: string,
  start: P,
): P {
  const isPlace = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length === start.length + 1 && value.every(isCount);
  const [mark, ...place] = fromCursor(cursor, about, isPlace) ?? [toMark(version), ...start];
  if (mark === toMark(version)) return place as unknown as P;
  throw new Fault("conflict", "What this cursor continues was changed since the cursor was made.", {
    hint: "Read it again without cursor.",
  });
}
