import { Fault } from "../errors/fault.ts";
import { digestOf } from "./digest.ts";
import { type JsonValue, toCanonicalJson } from "./json-value.ts";

const VERSION = 1;
const MAX_LENGTH = 32_768;

/** Where the next call goes on. `about` is what must be the same there: the arguments that decide what is listed. */
export function toCursor(place: JsonValue, about: JsonValue): string {
  const content = JSON.stringify([VERSION, toDigest(place, about), place]);
  const cursor = Buffer.from(content).toString("base64url");
  if (cursor.length > MAX_LENGTH) throw new RangeError("This place is too long for a cursor");
  return cursor;
}

/** The place that `toCursor` was given, if the cursor is whole and continues a call like this one. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who made the cursor knows what is in it
export function parseCursor<T>(cursor: string, about: JsonValue): T {
  const [version, digest, place] = parseContent(cursor);
  if (version !== VERSION || digest !== toDigest(place, about)) throw createFault();
  return place as T;
}

function parseContent(cursor: string): readonly [unknown, unknown, JsonValue] {
  if (cursor.length > MAX_LENGTH) throw createFault();
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(content) && content.length === 3) return content as [unknown, unknown, JsonValue];
  } catch {
    // Told below, like everything else that is no cursor.
  }
  throw createFault();
}

/** No signature: a place gives no rights. It notices what was edited, cut, or taken from another call. */
const toDigest = (place: JsonValue, about: JsonValue): string => digestOf(toCanonicalJson([about, place]));

const createFault = (): Fault =>
  new Fault("invalid_input", "This cursor does not continue a call with these arguments", {
    hint: "Call again without cursor, or with the arguments that it was given for.",
  });
