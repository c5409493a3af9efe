import { countHidden, type PathGuard, type StopSignal } from "@suite/server-kit/domain";
import { readBytes, readFromDisk, readFromMemory, type Reading } from "./bytes.ts";
import { decodeText, refuseInvalid } from "./decode-text.ts";
import { detectEncoding, ENCODINGS, markLength, type EncodingName } from "./encoding.ts";
import { fileEtag } from "./etag.ts";
import { COUNTED_BYTES, TEXT_BYTES, HASHED_BYTES } from "./limits.ts";
import { SNIFF_BYTES } from "./mime.ts";
import { countLines, countNewlines } from "./newlines.ts";
import { openForReading } from "./open.ts";
import { takeBackwards, takeForwards, type Lines, type Piece, type Place } from "./pieces.ts";
import { parseSpan, type Span, type SpanRequest } from "./span.ts";
import { findPlace, toTextCursor, type TextSource } from "./text-place.ts";

export interface TextRequest extends SpanRequest {
  readonly path: string;
  readonly encoding?: EncodingName | undefined;
}

/** A part of a text file. Parts that follow one another make the file again, byte for byte, but for its encoding's mark. */
export interface TextPage {
  path: string;
  text: string;
  etag: string;
  encoding: EncodingName;
  /** Set if the file begins with its encoding's mark, which is not in the text. */
  bom?: true;
  /** Of the whole file, in bytes. */
  size: number;
  start_line?: number;
  end_line?: number;
  total_lines?: number;
  /** Whether the limit cut what was asked for. */
  truncated: boolean;
  next_line?: number;
  next_cursor?: string;
  hidden_characters?: number;
}

/** Whoever never looks at the signal does not pay for it, and it costs more than a small file. */
export interface Stoppable {
  readonly signal: StopSignal;
}

/** At once for files that are read whole, which no other work can come in between. */
export function readText(
  guard: PathGuard,
  request: TextRequest,
  call: Stoppable,
  limit: number = TEXT_BYTES,
): TextPage | Promise<TextPage> {
  const span = parseSpan(request);
  const { path, file } = openForReading(guard, request.path);
  const { encoding } = request;
  if (file.stats.size > HASHED_BYTES) {
    const source = { path, encoding, size: Number(file.stats.size), etag: fileEtag(file) };
    return readFromDisk(readPage(source, span, limit), file.fd, call.signal).finally(() => file.close());
  }
  try {
    const whole = readBytes(file.fd, 0, Number(file.stats.size));
    const source = { path, encoding, size: whole.length, etag: fileEtag(file, whole) };
    return readFromMemory(readPage(source, span, limit), whole);
  } finally {
    file.close();
  }
}

interface Source extends TextSource {
  readonly encoding: EncodingName | undefined;
}

function* readPage(source: Source, span: Span, limit: number): Reading<TextPage> {
  const start = yield { position: 0, length: Math.min(SNIFF_BYTES, source.size) };
  const encoding = source.encoding === undefined ? detectEncoding(start) : ENCODINGS[source.encoding];
  const mark = markLength(start, encoding);
  if ((source.size - mark) % encoding.unit !== 0) throw refuseInvalid(start, encoding, source);
  const text: Lines = { encoding, start: mark, end: source.size };
  const place = yield* findPlace(source, text, span);
  const piece = yield* "from" in place ? takeForwards(text, place, limit) : takeBackwards(text, place, limit);
  const page: TextPage = {
    path: source.path,
    text: decodeText(piece.bytes, start, encoding, source),
    etag: source.etag,
    encoding: encoding.name,
    size: source.size,
    truncated: piece.next !== undefined,
  };
  if (mark > 0) page.bom = true;
  if (piece.next) page.next_cursor = toTextCursor(source, piece.next);
  const hidden = countHidden(page.text);
  if (hidden > 0) page.hidden_characters = hidden;
  yield* numberLines(page, text, place, piece);
  return page;
}

/** As far as the numbers are known: of a huge file's end nobody knows them without reading it all. */
function* numberLines(page: TextPage, text: Lines, place: Place, piece: Piece): Reading<void> {
  const isForwards = "from" in place;
  const isCounted = text.end <= COUNTED_BYTES;
  if (!isForwards && !isCounted) return;
  const first = isForwards ? place.line : 1 + (yield* countBefore(text, piece.position));
  const last = first - 1 + (piece.bytes.length > 0 ? Math.max(piece.lines, 1) : 0);
  page.start_line = first;
  page.end_line = last;
  if (piece.isLast) page.total_lines = last;
  else if (isCounted) page.total_lines = last + (yield* countAfter(text, piece));
  if (isForwards && !piece.isLast && !piece.isWithinLine) page.next_line = last + 1;
}

function* countBefore({ encoding, start }: Lines, position: number): Reading<number> {
  return countNewlines(yield { position: start, length: position - start }, encoding);
}

function* countAfter({ encoding, end }: Lines, { position, bytes }: Piece): Reading<number> {
  const from = position + bytes.length;
  const rest = countLines(yield { position: from, length: end - from }, encoding);
  const isWithinLine = !bytes.subarray(-encoding.unit).equals(encoding.newline);
  return isWithinLine ? rest - 1 : rest;
}
