import { Fault, parseCursor, toCursor } from "@suite/server-kit/domain";
import type { Reading } from "./bytes.ts";
import { skipLines, type Lines, type Place } from "./pieces.ts";
import { quotePath } from "./quote-path.ts";
import type { Span } from "./span.ts";

/** One state of a file, and how it is read: a cursor is good for no other. */
export interface TextSource {
  readonly path: string;
  readonly etag: string;
  readonly size: number;
  /** As the caller named it, if at all. */
  readonly encoding: string | undefined;
}

/** JSON has no infinity: no number of lines means up to the end. */
type Bookmark = { readonly etag: string; readonly left: number | null } & (
  | { readonly from: number; readonly line: number }
  | { readonly until: number }
);

const aboutOf = ({ path, encoding }: TextSource): string[] => ["text", path, encoding ?? ""];

export const toTextCursor = (source: TextSource, place: Place): string =>
  toCursor(
    { ...place, left: Number.isFinite(place.left) ? place.left : null, etag: source.etag },
    aboutOf(source),
  );

function parseTextCursor(source: TextSource, cursor: string): Place {
  const { etag, left, ...place } = parseCursor<Bookmark>(cursor, aboutOf(source));
  if (etag !== source.etag) {
    const goOn = "line" in place ? `, or go on by line with start_line: ${place.line}` : "";
    throw new Fault("conflict", `${quotePath(source.path)} was changed since the cursor was made`, {
      hint: `Read it again without cursor${goOn}.`,
      details: { etag: source.etag },
    });
  }
  return { ...place, left: left ?? Infinity };
}

/** Where reading starts. Lines far down are found by counting the newlines before them. */
export function* findPlace(source: TextSource, text: Lines, span: Span): Reading<Place> {
  if (span.kind === "cursor") return parseTextCursor(source, span.cursor);
  if (span.kind === "tail") return { until: text.end, left: span.count };
  if (span.first === 1) return { from: text.start, line: 1, left: span.count };
  const { position, lines } = yield* skipLines(text, span.first - 1);
  if (lines < span.first - 1 || position >= text.end) {
    const has = `which has ${lines} ${lines === 1 ? "line" : "lines"}`;
    throw new Fault(
      "invalid_input",
      `start_line ${span.first} is past the end of ${quotePath(source.path)}, ${has}`,
      {
        details: { total_lines: lines },
      },
    );
  }
  return { from: position, line: span.first, left: span.count };
}
