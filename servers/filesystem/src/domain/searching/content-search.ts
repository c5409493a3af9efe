import { closeSync } from "node:fs";

import type { Place, Verdict } from "../walking/walk.ts";
import type { LineMatcher } from "./line-matcher.ts";
import { type LineWindow, LineWindows } from "./line-windows.ts";
import { findMatchingLines, type MatchingLine } from "./matching-lines.ts";

/** The first match that has no room on a page any more. */
export interface ContentPlace {
  readonly path: string;
  readonly line: number;
}

export interface ContentSearchOptions {
  readonly matcher: LineMatcher;
  readonly context: number;
  readonly limit: number;
  readonly from?: ContentPlace | undefined;
  /** How results name a path below the start. */
  readonly toAbsolute: (path: string) => string;
}

type SearchState = Pick<Place, "slices" | "skipped">;

export type ContentMatch = MatchingLine & { readonly path: string };

/** Of all lines in one result. */
const MOST_CHARACTERS = 128 * 1024;

/** Goes through files one by one, until the page is full. */
export class ContentSearch {
  readonly matches: ContentMatch[] = [];
  /** Where the next page starts, once this one is full. */
  next: ContentPlace | undefined;
  files = 0;
  /** Of these: given up at the first NUL. */
  binaryFiles = 0;
  readonly #options: ContentSearchOptions;
  readonly #windows: LineWindows;
  #characters = 0;
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

  #look(path: string, window: LineWindow): "full" | "binary" | undefined {
    if (window.bytes.includes(0)) {
      this.binaryFiles += 1;
      return "binary";
    }
    const { matcher, context } = this.#options;
    for (const match of findMatchingLines(window, matcher, context)) {
      // A line that was cut in two is still one.
      if (match.line > this.#lastLine && !this.#add(path, match)) return "full";
    }
    return undefined;
  }

  #add(path: string, match: MatchingLine): boolean {
    const { limit, toAbsolute } = this.#options;
    if (this.matches.length === limit || this.#characters > MOST_CHARACTERS) {
      this.next = { path, line: match.line };
      return false;
    }
    this.matches.push({ path: toAbsolute(path), ...match });
    this.#lastLine = match.line;
    const { text, before = [], after = [] } = match;
    for (const line of [text, ...before, ...after]) this.#characters += line.length;
    return true;
  }
}
