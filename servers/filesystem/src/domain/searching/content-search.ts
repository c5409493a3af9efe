import { isUtf8 } from "node:buffer";
import { closeSync } from "node:fs";

import { Fault, mayBeDocument, shownSize } from "@suite/server-kit/domain";

import type { VisitedDirectory, Verdict } from "../walking/walk.ts";
import type { Beyond, Room } from "../walking/room.ts";
import type { LineMatcher } from "./line-matcher.ts";
import { type LineWindow, LineWindows } from "./line-windows.ts";
import { findMatchingLines, type MatchingLine } from "./matching-lines.ts";

/** The first match that does not fit on the page. */
export interface ContentPlace {
  readonly path: string;
  readonly line: number;
}

export interface ContentSearchOptions {
  readonly mode: ContentMode;
  readonly room: Room;
  readonly matcher: LineMatcher;
  readonly context: number;
  readonly extract?: ((line: string) => string) | undefined;
  readonly limit: number;
  readonly from?: ContentPlace | undefined;
  /** Gives the text of an open document, if documents are wanted, or why not. Undefined if the file is none. */
  readonly toText?: ((path: string, fd: number) => Promise<string | Fault | undefined>) | undefined;
  /** Whether the pattern contains more than ASCII, which is not found in files of other encodings. */
  readonly needsUtf8: boolean;
  /** Converts a path below the start to the form in results. */
  readonly toShown: (path: string) => string;
  /** Counts the lines after a full page that does not list lines. */
  readonly beyond: Beyond;
}

type SearchState = Pick<VisitedDirectory, "slices" | "skipped">;

/** Matching lines, files with a match, or the number of matching lines per file. */
export type ContentMode = "lines" | "files" | "count";

export interface FoundFile {
  readonly path: string;
  readonly matches?: MatchingLine[];
  readonly count?: number;
}

/** After this long, the page ends before the next document: a folder may have hundreds. */
const MOST_DOCUMENTS_MS = 20_000;
/** Size of a line's other fields in a result. */
const LINE_FIELDS = 30;

/** Searches files one by one until the page is full. */
export class ContentSearch {
  readonly found: FoundFile[] = [];
  /** Lines that match, so far. */
  matches = 0;
  /** Where the next page starts, once this one is full. */
  next: ContentPlace | undefined;
  files = 0;
  /** Those of `files` in which a NUL was found; they are not searched further. */
  binaryFiles = 0;
  /** Those of them that may be documents, and are only searched if that is wanted. */
  documentFiles = 0;
  #documentsMs = 0;
  /** The files after a full page that match, and the last of them. */
  #filesBeyond = 0;
  #lastBeyond = "";
  readonly #options: ContentSearchOptions;
  readonly #windows: LineWindows;
  /** The last reported line of the current file, on this page or the one before. */
  #lastLine = 0;
  /** Whether the current file is UTF-8 so far. */
  #isUtf8 = true;

  constructor(options: ContentSearchOptions) {
    this.#options = options;
    this.#windows = new LineWindows(options.context);
  }

  /** Synchronous for small files: there may be very many. */
  search(path: string, open: () => number, on: SearchState): Verdict | Promise<Verdict> {
    let fd: number | undefined;
    let window: LineWindow;
    try {
      fd = open();
      window = this.#windows.first(fd);
    } catch (thrown) {
      if (fd !== undefined) closeSync(fd);
      on.skipped.addError(path, thrown);
      return undefined;
    }
    this.files += 1;
    const { from } = this.#options;
    this.#lastLine = path === from?.path ? from.line - 1 : 0;
    this.#isUtf8 = true;
    const { toText } = this.#options;
    if (toText && mayBeDocument(window.bytes)) return this.#searchDocument(path, fd, toText, on);
    if (!window.isLast) return this.#searchLarge(path, fd, window, on);
    closeSync(fd);
    const verdict = this.#look(path, window, on) === "full" ? "stop" : undefined;
    const pause = on.slices.look();
    return pause ? pause.then(() => verdict) : verdict;
  }

  async #searchLarge(path: string, fd: number, first: LineWindow, on: SearchState): Promise<Verdict> {
    try {
      let window: LineWindow | undefined = first;
      while (window) {
        const outcome = this.#look(path, window, on);
        if (outcome) return outcome === "full" ? "stop" : undefined;
        await on.slices.look();
        window = this.#next(path, window, on);
      }
      return undefined;
    } finally {
      closeSync(fd);
    }
  }

  /** In the lines that read_text_file shows of it. */
  async #searchDocument(
    path: string,
    fd: number,
    toText: NonNullable<ContentSearchOptions["toText"]>,
    on: SearchState,
  ): Promise<Verdict> {
    if (this.next || this.#documentsMs > MOST_DOCUMENTS_MS) {
      closeSync(fd);
      this.files -= 1;
      this.next ??= { path, line: 1 };
      return this.#options.beyond.cut();
    }
    const started = performance.now();
    try {
      const text = await toText(path, fd);
      if (text instanceof Fault) on.skipped.add(path, text.message);
      else if (text === undefined) this.binaryFiles += 1;
      if (typeof text !== "string") return undefined;
      const bytes = Buffer.from(text);
      const window = { bytes, start: 0, end: bytes.length, line: 1, column: 0, isCut: false, isLast: true };
      return this.#look(path, window, on) === "full" ? "stop" : undefined;
    } finally {
      closeSync(fd);
      this.#documentsMs += performance.now() - started;
    }
  }

  #next(path: string, window: LineWindow, { skipped }: SearchState): LineWindow | undefined {
    try {
      return this.#windows.next(window);
    } catch (thrown) {
      skipped.addError(path, thrown);
      return undefined;
    }
  }

  #look(
    path: string,
    window: LineWindow,
    { skipped }: SearchState,
  ): "full" | "binary" | "enough" | undefined {
    if (window.bytes.includes(0)) {
      this.binaryFiles += 1;
      if (window.line === 1 && mayBeDocument(window.bytes)) this.documentFiles += 1;
      return "binary";
    }
    const { matcher, context, mode, extract, needsUtf8, beyond } = this.#options;
    if (beyond.look()) return "full";
    if (needsUtf8 && this.#isUtf8 && !isUtf8(window.bytes.subarray(window.start, window.end))) {
      this.#isUtf8 = false;
      skipped.add(path, "it is not UTF-8, so only ASCII is found in it");
    }
    for (const match of findMatchingLines(window, matcher, mode === "lines" ? context : 0, extract)) {
      // Report a line that was split into pieces only once.
      if (match.line <= this.#lastLine) continue;
      if (!(mode === "lines" ? this.#addLine(path, match) : this.#addFile(path, match))) return "full";
      if (mode === "files") return "enough";
    }
    return undefined;
  }

  #addLine(path: string, match: MatchingLine): boolean {
    const { limit, toShown, room } = this.#options;
    const shown = toShown(path);
    const last = this.found.at(-1);
    const isSame = last?.path === shown;
    const besides = isSame ? LINE_FIELDS : LINE_FIELDS + shownSize(shown);
    if (this.matches === limit || !room.take(match, besides)) {
      this.next = { path, line: match.line };
      return false;
    }
    if (isSame) last.matches?.push(match);
    else this.found.push({ path: shown, matches: [match] });
    this.#lastLine = match.line;
    this.matches += 1;
    return true;
  }

  #addFile(path: string, { line }: MatchingLine): boolean {
    const { limit, toShown, mode, room } = this.#options;
    this.#lastLine = line;
    if (this.next) return this.#countBeyond(path);
    const shown = toShown(path);
    const last = this.found.at(-1);
    if (last?.path === shown) {
      this.found[this.found.length - 1] = { path: shown, count: (last.count ?? 0) + 1 };
    } else if (this.found.length === limit || !room.take(shown, LINE_FIELDS)) {
      this.next = { path, line };
      return this.#countBeyond(path);
    } else this.found.push(mode === "count" ? { path: shown, count: 1 } : { path: shown });
    this.matches += 1;
    return true;
  }

  #countBeyond(path: string): boolean {
    if (path !== this.#lastBeyond) this.#filesBeyond += 1;
    this.#lastBeyond = path;
    return this.#options.beyond.count() === undefined;
  }

  /** Of a first page that does not list lines, and does not have all. */
  totals(): {
    readonly total_matches?: number;
    readonly total_files?: number;
    readonly is_lower_bound?: true;
  } {
    const { total, ...rest } = this.#options.beyond.toTotal(this.matches);
    if (total === undefined) return {};
    return {
      ...(this.#options.mode === "count" && { total_matches: total }),
      total_files: this.found.length + this.#filesBeyond,
      ...rest,
    };
  }
}
