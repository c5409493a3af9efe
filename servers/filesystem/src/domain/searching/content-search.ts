import { closeSync } from "node:fs";

import { shownSize } from "@suite/server-kit/domain";

import type { VisitedDirectory, Verdict } from "../walking/walk.ts";
import type { Room } from "../walking/room.ts";
import type { LineMatcher } from "./line-matcher.ts";
import { type LineWindow, LineWindows } from "./line-windows.ts";
import { findMatchingLines, type MatchingLine } from "./matching-lines.ts";

/** The first match that has no room on a page any more. */
export interface ContentPlace {
  readonly path: string;
  readonly line: number;
}

export interface ContentSearchOptions {
  readonly mode: ContentMode;
  readonly room: Room;
  readonly matcher: LineMatcher;
  readonly context: number;
  readonly limit: number;
  readonly from?: ContentPlace | undefined;
  /** How results name a path below the start. */
  readonly toAbsolute: (path: string) => string;
}

type SearchState = Pick<VisitedDirectory, "slices" | "skipped">;

/** Every line that matches, only the files that have one, or how many each has. */
export type ContentMode = "lines" | "files" | "count";

export interface FoundFile {
  readonly path: string;
  readonly matches?: MatchingLine[];
  readonly count?: number;
}

/** What a line takes in a result besides its text. */
const LINE_FIELDS = 30;

/** Goes through files one by one, until the page is full. */
export class ContentSearch {
  readonly found: FoundFile[] = [];
  /** Lines that match, so far. */
  matches = 0;
  /** Where the next page starts, once this one is full. */
  next: ContentPlace | undefined;
  files = 0;
  /** Of these: given up at the first NUL. */
  binaryFiles = 0;
  readonly #options: ContentSearchOptions;
  readonly #windows: LineWindows;
  /** The last one told of the file at hand, on this page or the one before. */
  #lastLine = 0;

  constructor(options: ContentSearchOptions) {
    this.#options = options;
    this.#windows = new LineWindows(options.context);
  }

  /** Small files are done at once, without waiting: there may be very many. */
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
    if (!window.isLast) return this.#searchLarge(path, fd, window, on);
    closeSync(fd);
    const verdict = this.#look(path, window) === "full" ? "stop" : undefined;
    const pause = on.slices.look();
    return pause ? pause.then(() => verdict) : verdict;
  }

  async #searchLarge(path: string, fd: number, first: LineWindow, on: SearchState): Promise<Verdict> {
    try {
      let window: LineWindow | undefined = first;
      while (window) {
        const outcome = this.#look(path, window);
        if (outcome) return outcome === "full" ? "stop" : undefined;
        await on.slices.look();
        window = this.#next(path, window, on);
      }
      return undefined;
    } finally {
      closeSync(fd);
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

  #look(path: string, window: LineWindow): "full" | "binary" | "enough" | undefined {
    if (window.bytes.includes(0)) {
      this.binaryFiles += 1;
      return "binary";
    }
    const { matcher, context, mode } = this.#options;
    for (const match of findMatchingLines(window, matcher, mode === "lines" ? context : 0)) {
      // A line that was cut in two is still one.
      if (match.line <= this.#lastLine) continue;
      if (!(mode === "lines" ? this.#addLine(path, match) : this.#addFile(path, match))) return "full";
      if (mode === "files") return "enough";
    }
    return undefined;
  }

  #addLine(path: string, match: MatchingLine): boolean {
    const { limit, toAbsolute, room } = this.#options;
    const shown = toAbsolute(path);
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
    const { limit, toAbsolute, mode, room } = this.#options;
    const shown = toAbsolute(path);
    const last = this.found.at(-1);
    this.#lastLine = line;
    if (last?.path === shown) {
      this.found[this.found.length - 1] = { path: shown, count: (last.count ?? 0) + 1 };
    } else if (this.found.length === limit || !room.take(shown, LINE_FIELDS)) {
      this.next = { path, line };
      return false;
    } else this.found.push(mode === "count" ? { path: shown, count: 1 } : { path: shown });
    this.matches += 1;
    return true;
  }
}
