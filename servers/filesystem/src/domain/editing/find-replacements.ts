import { closeSync, fstatSync, type BigIntStats } from "node:fs";
import { basename, dirname } from "node:path";
import {
  describeBytes,
  detectEncoding,
  etagOf,
  Fault,
  LineText,
  type PathGuard,
  readBytes,
  type SafePath,
  shownSize,
  type StopSignal,
  TimeSlices,
  toPathText,
} from "@suite/server-kit/domain";
import { closing } from "../closing.ts";
import { WHOLE_FILE_BYTES } from "../reading/limits.ts";
import { parseExcludes, parseIncludes } from "../walking/globs/glob.ts";
import { SkippedList, walk } from "../walking/walk.ts";
import { Room } from "../walking/room.ts";
import {
  baseOf,
  fromBase,
  fromBelow,
  fromStart,
  toReport,
  type WalkReport,
  type WalkStart,
} from "../walking/start.ts";
import { lookAtEntry } from "../reading/open.ts";
import {
  decodeSource,
  encodeSource,
  type Preview,
  PREVIEW_SIZE,
  previewTexts,
} from "../writing/source-text.ts";
import type { Replacer } from "./replacer.ts";

export interface ReplaceScope {
  readonly path: string;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly respect_gitignore?: boolean | undefined;
  /** How many characters of diffs are shown, of however many files. Without it, the diffs of the first few. */
  readonly diffRoom?: number | undefined;
}

/** A file with replacements, and its new content. */
export interface FileReplacement {
  readonly path: SafePath;
  readonly count: number;
  readonly stats: BigIntStats;
  /** Of the content that was read. */
  readonly etag: string;
  readonly bytes: Buffer;
}

export interface FoundReplacements {
  readonly files: readonly FileReplacement[];
  /** What the paths in the diffs are relative to, if they are. */
  readonly base: string | undefined;
  readonly preview: Preview;
  readonly report: WalkReport;
}

/** Files whose diff is shown. */
const MOST_DIFFS = 3;
/** Limits, because all changed files are in memory at once. */
const MOST_FILES = 1000;
const MOST_BYTES = 64 * 1024 * 1024;

interface Search {
  readonly guard: PathGuard;
  readonly replacer: Replacer;
  readonly signal: StopSignal;
  readonly onProgress?: ((seen: number) => void) | undefined;
}

/** Searches a file, or all text files below a directory. Changes nothing. */
export async function findReplacements(scope: ReplaceScope, search: Search): Promise<FoundReplacements> {
  const { guard, signal, onProgress } = search;
  return fromStart(guard, scope.path, async (start) => {
    const wanted = parseIncludes(scope.include ?? [], start);
    const exclude = parseExcludes(scope.exclude ?? [], start);
    const collection = new Collection(search, scope.diffRoom);
    const at = { guard, path: scope.path, start };
    if (lookAtEntry(guard, start)?.isFile()) {
      await collection.addSingle(start);
      return collection.finish(at);
    }
    const toAbsolute = fromBelow(start);
    const options = { signal, onProgress, exclude, respectIgnore: scope.respect_gitignore ?? true };
    const { skipped, ignored } = await walk(guard, start, options, (entry, parent) => {
      if (entry.kind !== "file" || entry.isBroken) return undefined;
      if (wanted?.(entry.path, entry.name, false) === false) return undefined;
      const open = (): number => parent.directory.openFile(entry.name);
      return collection.add(toAbsolute(entry.path), open, parent.slices);
    });
    const listed = skipped.listed.map((entry) => ({ ...entry, path: toAbsolute(entry.path) }));
    collection.skipped.listed.push(...listed);
    collection.skipped.total += skipped.total;
    return collection.finish(at, ignored);
  });
}

class Collection {
  readonly files: FileReplacement[] = [];
  readonly preview: { diff: string; truncated?: boolean } = { diff: "" };
  readonly skipped = new SkippedList();
  readonly #search: Search;
  readonly #base: string | undefined;
  readonly #mostDiffs: number;
  readonly #room: number;
  /** Whether the pattern had only empty matches; undefined without any match. */
  #isEmpty: boolean | undefined;
  #bytes = 0;

  constructor(search: Search, room: number | undefined) {
    this.#search = search;
    this.#base = baseOf(search.guard);
    this.#mostDiffs = room === undefined ? MOST_DIFFS : MOST_FILES;
    this.#room = room ?? PREVIEW_SIZE;
  }

  async addSingle(path: SafePath): Promise<void> {
    const { guard, signal } = this.#search;
    await closing(guard.walkDirectory(dirname(path) as SafePath), (directory) =>
      this.add(path, () => directory.openFile(basename(path)), new TimeSlices(signal)),
    );
  }

  async add(path: string, open: () => number, slices: TimeSlices): Promise<undefined> {
    const file = this.#read(path, open);
    if (!file) return;
    const source = decodeSource(file.bytes);
    if (!source) {
      if (isOtherText(file.bytes)) this.skipped.add(path, "not UTF-8");
      return;
    }
    const lines = new LineText(source.text);
    const found = await this.#search.replacer(lines.plain, slices);
    await slices.look();
    if (found === "empty") {
      this.#isEmpty ??= true;
      return;
    }
    if (found.length > 0) this.#isEmpty = false;
    const text = found.length > 0 ? lines.replace(found) : source.text;
    if (text === source.text) return;
    const located = this.#locate(path);
    if (located === undefined) return;
    const bytes = encodeSource({ ...source, text });
    this.#count(bytes.length);
    this.files.push({
      path: located,
      count: found.length,
      stats: file.stats,
      etag: etagOf(file.bytes),
      bytes,
    });
    this.#show(path, source.text, text);
  }

  /** Reports empty matches once, not for each file. */
  finish(at: WalkStart, ignored = 0): FoundReplacements {
    const { files, preview, skipped } = this;
    if (this.#isEmpty) skipped.add(at.start, "the pattern matches only empty places, which are not replaced");
    return { files, base: this.#base, preview, report: toReport(at, { ignored, skipped }, new Room()) };
  }

  #read(path: string, open: () => number): { bytes: Buffer; stats: BigIntStats } | undefined {
    let fd: number | undefined;
    try {
      fd = open();
      const stats = fstatSync(fd, { bigint: true });
      if (!stats.isFile()) return undefined;
      if (stats.size <= WHOLE_FILE_BYTES) return { stats, bytes: readBytes(fd, 0, Number(stats.size)) };
      this.skipped.add(path, `larger than ${describeBytes(WHOLE_FILE_BYTES)}`);
    } catch (thrown) {
      this.skipped.addError(path, thrown);
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
    return undefined;
  }

  /** undefined for a protected file, which is skipped and reported. */
  #locate(path: string): SafePath | undefined {
    try {
      return this.#search.guard.locateExact(path, { intent: "write", follow: false });
    } catch (thrown) {
      this.skipped.addError(path, thrown);
      return undefined;
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.files.length < MOST_FILES && this.#bytes <= MOST_BYTES) return;
    const limit = `${MOST_FILES} files or ${describeBytes(MOST_BYTES)}`;
    throw new Fault("too_large", `More than ${limit} would be changed at once`, {
      hint: "Nothing was changed. Narrow it with path, include or exclude.",
    });
  }

  /** The diffs of the first files; of the others, their counts must do. */
  #show(path: string, before: string, after: string): void {
    const room = this.files.length > this.#mostDiffs ? 0 : this.#room - shownSize(this.preview.diff);
    const name = fromBase(this.#base, toPathText(path));
    const { diff = "", truncated = false } =
      room > 0 ? previewTexts(name, before, after, room) : { truncated: true };
    this.preview.diff += diff;
    if (truncated) this.preview.truncated = true;
  }
}

/** Text contains NUL bytes only in UTF-16. */
const isOtherText = (bytes: Buffer): boolean => !bytes.includes(0) || detectEncoding(bytes).name !== "utf-8";
