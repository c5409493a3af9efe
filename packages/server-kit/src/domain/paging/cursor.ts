import { Fault } from "../errors/fault.ts";
import { digestOf } from "../text/digest.ts";
import { type JsonValue, toCanonicalJson } from "../text/json-value.ts";

const MAX_LENGTH = 32_768;
/** 36 bits: enough to detect copying errors. A cursor grants no rights, so forging one gains nothing. */
const DIGEST_LENGTH = 6;
/** A length that models copy reliably. */
const COMFORTABLE_LENGTH = 24;

/**
 * A cursor for the next call. `about`: the arguments that must be the same in it. Models copy cursors character by character,
 * so a place should be a few numbers. `short` is encoded instead of a place that would make the cursor long.
 */
export function toCursor(place: JsonValue, about: JsonValue, short: JsonValue = place): string {
  const whole = toDigest(place, about) + encode(place);
  const cursor = whole.length <= COMFORTABLE_LENGTH ? whole : whole.slice(0, DIGEST_LENGTH) + encode(short);
  if (cursor.length > MAX_LENGTH) throw new RangeError("This place is too long for a cursor");
  return cursor;
}

/** Checks whether a decoded value is a valid place of this tool. */
export type PlaceCheck<Place> = (value: unknown) => value is Place;

/** A place that is the number of items or characters already shown. */
export const isCount: PlaceCheck<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Checks a place that is a text, for `fromCursor`. */
export const isText: PlaceCheck<string> = (value): value is string => typeof value === "string";

/** Checks a place that is a list with exactly these items, for `fromCursor`. */
export const isListOf =
  <Items extends readonly unknown[]>(
    ...checks: { readonly [Index in keyof Items]: PlaceCheck<Items[Index]> }
  ): PlaceCheck<Items> =>
  (value): value is Items =>
    Array.isArray(value) &&
    value.length === checks.length &&
    checks.every((isItem, index) => isItem(value[index]));

/**
 * The place that `toCursor` was given, if the cursor is intact and was made for the same arguments; undefined for the first
 * page. Cursors can be forged, so `isPlace` validates the content. `expand` lists the places that a `short` one may stand for:
 * the digest decides which.
 */
export function fromCursor<Place>(
  cursor: string,
  about: JsonValue,
  isPlace: PlaceCheck<Place>,
  expand?: (short: JsonValue) => Iterable<JsonValue>,
): Place;
export function fromCursor<Place>(
  cursor: string | undefined,
  about: JsonValue,
  isPlace: PlaceCheck<Place>,
  expand?: (short: JsonValue) => Iterable<JsonValue>,
): Place | undefined;
export function fromCursor<Place>(
  cursor: string | undefined,
  about: JsonValue,
  isPlace: PlaceCheck<Place>,
  expand: (short: JsonValue) => Iterable<JsonValue> = () => [],
): Place | undefined {
  if (cursor === undefined) return undefined;
  const given = cursor.length > MAX_LENGTH ? undefined : decode(cursor.slice(DIGEST_LENGTH));
  const isMeant = (place: JsonValue): boolean => findDigest(place, about) === cursor.slice(0, DIGEST_LENGTH);
  if (given === undefined) throw refuse();
  if (isPlace(given) && isMeant(given)) return given;
  for (const place of expand(given)) if (isPlace(place) && isMeant(place)) return place;
  throw refuse();
}

/** The paging fields of a result. */
export interface PageEnd {
  readonly truncated: boolean;
  readonly next_cursor?: string;
}

/** The line of text that tells how to continue. */
export const noteCursor = ({
  next_cursor: cursor,
}: {
  readonly next_cursor?: string | undefined;
}): string | undefined =>
  cursor === undefined ? undefined : `Truncated. Continue with cursor: "${cursor}".`;

/** The fields with which a page says whether it is the last, and how to continue. Without a place, it is. */
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

const refuse = (): Fault =>
  new Fault("invalid_input", "This cursor does not continue a call with these arguments", {
    hint: "Call again without cursor, or with the arguments of the call that returned it.",
  });

/** undefined for a value nested too deeply for the stack: no real cursor contains one. */
function findDigest(place: JsonValue, about: JsonValue): string | undefined {
  try {
    return toDigest(place, about);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** Detects cursors that were edited, cut, or made for another call. */
const toDigest = (place: JsonValue, about: JsonValue): string =>
  digestOf(toCanonicalJson([about, place]), DIGEST_LENGTH, "base64url");

const RADIX = 36;
const PLAIN_NUMBER = /^-?[0-9a-z]{1,11}$/;
const JSON_MARK = "~";
const WORD_MARK = "_";
const PLAIN_WORD = /^[A-Za-z0-9-]+$/;

/** `17`, `17.3.` for a list, `17._word.` for one with words in it; anything else is JSON in base64. */
function encode(place: JsonValue): string {
  const plain = Array.isArray(place) ? encodeList(place) : encodeNumber(place);
  return plain ?? JSON_MARK + Buffer.from(JSON.stringify(place)).toString("base64url");
}

function encodeList(list: readonly JsonValue[]): string | undefined {
  const items = list.map((item) => encodeNumber(item) ?? encodeWord(item));
  return items.length === 0 || items.includes(undefined) ? undefined : `${items.join(".")}.`;
}

const encodeNumber = (value: JsonValue): string | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) ? value.toString(RADIX) : undefined;

const encodeWord = (value: JsonValue): string | undefined =>
  typeof value === "string" && PLAIN_WORD.test(value) ? WORD_MARK + value : undefined;

function decode(text: string): JsonValue | undefined {
  if (text.startsWith(JSON_MARK)) return decodeJson(text.slice(1));
  if (!text.endsWith(".")) return decodeNumber(text);
  const items = text.slice(0, -1).split(".").map(decodeItem);
  return items.every((item) => item !== undefined) ? items : undefined;
}

const decodeItem = (text: string): JsonValue | undefined =>
  text.startsWith(WORD_MARK) ? text.slice(1) : decodeNumber(text);

const decodeNumber = (text: string): number | undefined =>
  PLAIN_NUMBER.test(text) ? Number.parseInt(text, RADIX) : undefined;

function decodeJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString()) as JsonValue;
  } catch {
    return undefined;
  }
}
