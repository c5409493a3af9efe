import {
  countHidden,
  countOf,
  describeBytes,
  detectEncoding,
  digestOf,
  type Encoding,
  Fault,
  findEncoding,
  fromCursor,
  guessUtf16,
  isCount,
  markLength,
  type PlaceCheck,
  quotePath,
  sniff,
  SNIFF_BYTES,
  toCursor,
} from "@suite/server-kit/domain";
import { type ByteReader, readFromMemory } from "./byte-reader.ts";
import { countLines, countNewlines } from "./newlines.ts";
import {
  skipLines,
  takeBackwards,
  takeForwards,
  type TextPiece,
  type TextPlace,
  type TextRange,
} from "./text-pieces.ts";
import type { TextSpan } from "./text-span.ts";

/** One version of a text, and how it is read. A cursor is valid only for the same. */
export interface TextSource {
  /** Its name in error messages, such as a path. */
  readonly name: string;
  readonly etag: string;
  /** In bytes. */
  readonly size: number;
  /** As given by the caller. */
  readonly encoding?: string | undefined;
  /** What else decides which text it is. */
  readonly about?: string | undefined;
  /** A hint for content that is not text: "Use read_media_file, which gives the bytes." */
  readonly otherwise: string;
}

/** A part of a text. Consecutive pages together are the whole text, except for the byte order mark. */
export interface TextPage {
  text: string;
  etag: string;
  encoding: string;
  /** Set if the file begins with a byte order mark, which is not part of `text`. */
  bom?: true;
  /** Size of the whole text in bytes. */
  size: number;
  start_line?: number;
  end_line?: number;
  total_lines?: number;
  /** Whether the limit cut the requested part. */
  truncated: boolean;
  next_line?: number;
  next_cursor?: string;
  /** Set if `next_cursor` continues with the text before this page. */
  more_before?: true;
  hidden_characters?: number;
}

/** All lines of a text up to this size are counted; when reading from the end, up to the second size. */
const COUNTED_BYTES = 64 * 1024;
const COUNTED_BEFORE_BYTES = 1024 * 1024;

/** A page of bytes in memory. `limit`: the longest text as JSON, in characters. */
export const readTextPage = (whole: Buffer, source: TextSource, span: TextSpan, limit: number): TextPage =>
  readFromMemory(pageText(source, span, limit), whole);

/** The same for bytes from elsewhere: run it with `readFromDisk`, for example. */
export function* pageText(source: TextSource, span: TextSpan, limit: number): ByteReader<TextPage> {
  const start = yield { position: 0, length: Math.min(SNIFF_BYTES, source.size) };
  const encoding = source.encoding === undefined ? detectEncoding(start) : requireEncoding(source.encoding);
  const mark = markLength(start, encoding);
  if ((source.size - mark) % encoding.unit !== 0) throw refuseInvalid(start, encoding, source);
  const range: TextRange = { encoding, start: mark, end: source.size };
  const place = yield* findPlace(source, range, span);
  const { piece, text } = yield* takeFitting({ source, range, place, start }, limit);
  const page: TextPage = {
    text,
    etag: source.etag,
    encoding: encoding.name,
    size: source.size,
    truncated: piece.next !== undefined,
  };
  if (mark > 0) page.bom = true;
  if (piece.next) page.next_cursor = toTextCursor(source, piece.next);
  if (piece.next && "until" in piece.next) page.more_before = true;
  const hidden = countHidden(page.text);
  if (hidden > 0) page.hidden_characters = hidden;
  yield* numberLines(page, range, place, piece);
  return page;
}

interface PageRequest {
  readonly source: TextSource;
  readonly range: TextRange;
  readonly place: TextPlace;
  /** The first bytes of the whole. */
  readonly start: Buffer;
}

/** Takes less if escapes make the JSON too long. */
function* takeFitting(
  { source, range, place, start }: PageRequest,
  limit: number,
): ByteReader<{ readonly piece: TextPiece; readonly text: string }> {
  for (let most = limit, tries = 0; ; tries += 1) {
    const piece = yield* "from" in place
      ? takeForwards(range, place, most)
      : takeBackwards(range, place, most);
    requireWholeLine(piece, "from" in place, range.encoding, source);
    const text = decodeText(piece.bytes, start, range.encoding, source);
    const length = jsonLength(text);
    if (length <= limit || most < LEAST_BYTES) return { piece, text };
    most = Math.floor(piece.bytes.length * (tries < EXACT_TRIES ? limit / length : 0.9)) - 1;
  }
}

const LEAST_BYTES = 64;
const EXACT_TRIES = 4;
/** A hidden character is shown as `\u{E0020}`. */
const SHOWN_LENGTH = 9;
const jsonLength = (text: string): number =>
  JSON.stringify(text).length - 2 + SHOWN_LENGTH * countHidden(text);

/** Sets the line numbers that are known: at the end of a huge text they would require reading all of it. */
function* numberLines(
  page: TextPage,
  range: TextRange,
  place: TextPlace,
  piece: TextPiece,
): ByteReader<void> {
  const isForwards = "from" in place;
  const isCounted = range.end <= (isForwards ? COUNTED_BYTES : COUNTED_BEFORE_BYTES);
  if (!isForwards && !isCounted) return;
  const first = isForwards ? place.line : 1 + (yield* countBefore(range, piece.position));
  const last = first - 1 + (piece.bytes.length > 0 ? Math.max(piece.lines, 1) : 0);
  page.start_line = first;
  page.end_line = last;
  if (piece.isLast) page.total_lines = last;
  else if (isCounted) page.total_lines = last + (yield* countAfter(range, piece));
  if (isForwards && !piece.isLast && !piece.isWithinLine) page.next_line = last + 1;
}

function* countBefore({ encoding, start }: TextRange, position: number): ByteReader<number> {
  return countNewlines(yield { position: start, length: position - start }, encoding);
}

function* countAfter({ encoding, end }: TextRange, { position, bytes }: TextPiece): ByteReader<number> {
  const from = position + bytes.length;
  const rest = countLines(yield { position: from, length: end - from }, encoding);
  const isWithinLine = !bytes.subarray(-encoding.unit).equals(encoding.newline);
  return isWithinLine ? rest - 1 : rest;
}

/** Numbers only, for a short cursor. `left`: remaining lines, 0 for all. `etag`: a hash of it, to detect changes. */
type TextBookmark =
  | readonly [etag: number, left: number, from: number, line: number]
  | readonly [etag: number, left: number, until: number];

const isBookmark: PlaceCheck<TextBookmark> = (value): value is TextBookmark =>
  Array.isArray(value) && (value.length === 3 || value.length === 4) && value.every(isCount);

/** Hashes the whole etag, because some have the same prefix. */
const toMark = (etag: string): number => Number.parseInt(digestOf(etag, 6), 16);

const aboutOf = ({ name, encoding, about }: TextSource): string[] => [
  "text",
  name,
  encoding ?? "",
  ...(about === undefined ? [] : [about]),
];

function toTextCursor(source: TextSource, place: TextPlace): string {
  const left = Number.isFinite(place.left) ? place.left : 0;
  const where = "from" in place ? [place.from, place.line] : [place.until];
  return toCursor([toMark(source.etag), left, ...where], aboutOf(source));
}

function parseTextCursor(source: TextSource, cursor: string): TextPlace {
  const [etag, most, position, line] = fromCursor(cursor, aboutOf(source), isBookmark);
  const left = most === 0 ? Infinity : most;
  if (etag !== toMark(source.etag)) {
    const byLine = line === undefined ? "" : `, or continue by line with start_line: ${line}`;
    throw new Fault("conflict", `${quotePath(source.name)} was changed since the cursor was made`, {
      hint: `Read it again without cursor${byLine}.`,
      details: { etag: source.etag },
    });
  }
  const at = Math.min(position, source.size);
  return line === undefined ? { until: at, left } : { from: at, line, left };
}

/** Where reading starts. Lines far down are found by counting the newlines before them. */
function* findPlace(source: TextSource, range: TextRange, span: TextSpan): ByteReader<TextPlace> {
  if (span.kind === "cursor") return parseTextCursor(source, span.cursor);
  if (span.kind === "tail") return { until: range.end, left: span.count };
  if (span.first === 1) return { from: range.start, line: 1, left: span.count };
  const { position, lines } = yield* skipLines(range, span.first - 1);
  if (lines < span.first - 1 || position >= range.end) {
    const message = `start_line ${span.first} is past the end of ${quotePath(source.name)}, which has ${countOf(lines, "line")}`;
    throw new Fault("invalid_input", message, { details: { total_lines: lines } });
  }
  return { from: position, line: span.first, left: span.count };
}

function requireEncoding(name: string): Encoding {
  const encoding = findEncoding(name);
  if (encoding) return encoding;
  throw new Fault("invalid_input", `Unknown encoding ${JSON.stringify(name)}`, {
    hint: 'Use a WHATWG encoding name, such as "utf-8", "utf-16le", "latin1", "windows-1252", "shift_jis" or "gb18030".',
  });
}

/** In some encodings, a part of a line would decode to wrong characters. */
function requireWholeLine(
  { isWithinLine }: TextPiece,
  isForwards: boolean,
  { name: encoding, cuts }: Encoding,
  { name, otherwise }: TextSource,
): void {
  if (!isWithinLine || cuts === undefined || (cuts === "forwards" && isForwards)) return;
  const isBackwards = cuts === "forwards";
  const where = isBackwards ? " from its end" : "";
  const hint = isBackwards ? "Read it from its start, with start_line." : otherwise;
  const message = `A line of ${quotePath(name)} is too long, and ${encoding} text cannot be read in parts of a line${where}`;
  throw new Fault("unsupported", message, { hint });
}

/** Decodes strictly: throws for bytes that are not valid text in this encoding. */
function decodeText(bytes: Buffer, start: Buffer, encoding: Encoding, source: TextSource): string {
  // NUL is valid UTF-8, but text does not contain it. Other encodings are decoded as requested.
  const isBinary = encoding.name === "utf-8" && (start.includes(0) || bytes.includes(0));
  const text = isBinary ? undefined : encoding.decode(bytes);
  if (text === undefined)
    throw isBinary ? refuseBinary(start, source) : refuseInvalid(start, encoding, source);
  return text;
}

function refuseBinary(start: Buffer, { name, size, otherwise }: TextSource): Fault {
  const { mimeType, isText } = sniff(start, name);
  const encoding = guessUtf16(start);
  const hint = encoding ? `It looks like UTF-16: pass encoding "${encoding}".` : otherwise;
  return new Fault(
    "unsupported",
    `${quotePath(name)} is not text but ${isText ? "binary" : mimeType} (${describeBytes(size)})`,
    { hint, details: { mime_type: mimeType } },
  );
}

/** For an encoding that was detected or given by the caller. */
function refuseInvalid(start: Buffer, { name: encoding }: Encoding, { name, otherwise }: TextSource): Fault {
  const { mimeType, isText } = sniff(start, name);
  const looksLike = isText || mimeType === "application/octet-stream" ? "" : ` and looks like ${mimeType}`;
  const other = encoding === "utf-8" ? "" : "Leave out encoding to have it detected. ";
  return new Fault("unsupported", `${quotePath(name)} is not valid ${encoding}${looksLike}`, {
    hint: `${other}Pass encoding "latin1" to read it byte for byte. ${otherwise}`,
    details: { mime_type: mimeType },
  });
}
