import { Fault } from "../errors/fault.ts";
import { digestOf } from "./digest.ts";
import { type JsonValue, toCanonicalJson } from "./json-value.ts";

const MAX_LENGTH = 32_768;
/** 36 bits: enough to notice a slip. A place gives no rights, so nobody gains by forging one. */
const DIGEST_LENGTH = 6;
/** What a model copies without a slip. */
const COMFORTABLE_LENGTH = 24;

/**
 * Where the next call continues. `about` is what must be the same there: the arguments that decide what is listed. Models
 * copy cursors by hand: a number, or a few of them, makes a short one. `short` stands for a place that makes a long one.
 */
export function toCursor(place: JsonValue, about: JsonValue, short: JsonValue = place): string {
  const whole = toDigest(place, about) + encode(place);
  const cursor = whole.length <= COMFORTABLE_LENGTH ? whole : whole.slice(0, DIGEST_LENGTH) + encode(short);
  if (cursor.length > MAX_LENGTH) throw new RangeError("This place is too long for a cursor");
  return cursor;
}

/** Whether a value is what a tool puts into its cursors. */
export type PlaceCheck<Place> = (value: unknown) => value is Place;

/** As a place: so many items, or characters, were shown already. */
export const isCount: PlaceCheck<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

export const isText: PlaceCheck<string> = (value): value is string => typeof value === "string";

export const isListOf =
  <Items extends readonly unknown[]>(
    ...checks: { readonly [Index in keyof Items]: PlaceCheck<Items[Index]> }
  ): PlaceCheck<Items> =>
  (value): value is Items =>
    Array.isArray(value) &&
    value.length === checks.length &&
    checks.every((isItem, index) => isItem(value[index]));

/**
 * The place that `toCursor` was given, if the cursor is whole and continues a call like this one; nothing for the first page.
 * Whoever reads the code can make a cursor, so `isPlace` says what may be in it.
 * `expand` gives the places that what is in it may stand for: the digest knows which.
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

/** How a page of results ends. */
export interface PageEnd {
  readonly truncated: boolean;
  readonly next_cursor?: string;
}

/** How a tool says what comes next. */
export const noteCursor = ({
  next_cursor: cursor,
}: {
  readonly next_cursor?: string | undefined;
}): string | undefined =>
  cursor === undefined ? undefined : `Truncated. Continue with cursor: "${cursor}".`;

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
    hint: "Call again without cursor, or with the arguments that it was given for.",
  });

/** None for what is nested deeper than the stack reaches: nobody was given that as a cursor. */
function findDigest(place: JsonValue, about: JsonValue): string | undefined {
  try {
    return toDigest(place, about);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** It notices what was edited, cut, or taken from another call. */
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
