import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

import CachePolicy from "http-cache-semantics";

import { ID_LENGTH, type WebPage } from "./page.ts";

/** A page with its caching policy (RFC 9111). */
export interface CachedPage {
  readonly page: WebPage;
  readonly policy: CachePolicy;
  /** Whether the page must not be stored: it is only kept for a while, so that reading can continue. */
  readonly isPassing: boolean;
}

/** What is known of a page without reading its first line. */
export interface Head extends Pick<WebPage, "id" | "principal" | "url" | "finalUrl" | "fetchedAt"> {
  readonly type: string | undefined;
  readonly isPassing: boolean;
}

interface CachedFile {
  readonly head: Head;
  /** As bytes: the objects in it would take several times as much. */
  readonly firstLine: Uint8Array;
  readonly bytes: number;
  readonly keptAt: number;
  /** Undefined if it is in a file. */
  readonly body: Uint8Array | undefined;
}

/** The first line of a page's file. */
interface FirstLine {
  readonly head: Omit<WebPage, "body"> & { readonly isPassing: boolean };
  readonly policy: CachePolicy.CachePolicyObject;
  /** The length of the body, in bytes. */
  readonly length: number;
}

export interface PageCacheOptions {
  readonly maxBytes: number;
  /** Keeps pages on disk, beyond the end of the process. */
  readonly directory?: string;
  /** Called when a page was added or removed. */
  readonly changed?: () => void;
  /** Called with disk errors, which fail no request. */
  readonly report?: (thrown: unknown) => void;
}

/** How long a page that must not be stored is kept for reading on. */
const PASSING_MS = 5 * 60_000;
const FILE = new RegExp(`^[0-9a-f]{${ID_LENGTH}}\\.page$`);
/** What a page in memory costs besides its bytes, as measured. */
const OVERHEAD = 2500;
const LONGEST_HEAD = 262_144;

/** Pages by id. Evicts the least recently used when the size limit is exceeded. */
export class PageCache {
  readonly #maxBytes: number;
  readonly #directory: string | undefined;
  readonly #changed: () => void;
  readonly #report: (thrown: unknown) => void;
  /** Least recently used first. */
  readonly #kept = new Map<string, CachedFile>();
  /** The ids of those that must not be stored, the oldest first. */
  readonly #passing = new Set<string>();
  #bytes = 0;
  #opened: Promise<unknown> | undefined;
  #lastTurn: Promise<unknown> | undefined;

  constructor({ maxBytes, directory, changed = () => {}, report = () => {} }: PageCacheOptions) {
    this.#maxBytes = maxBytes;
    this.#directory = directory;
    this.#changed = changed;
    this.#report = report;
  }

  /** Loads the pages of an existing directory, once. */
  async open(): Promise<void> {
    const directory = this.#directory;
    this.#opened ??= directory === undefined ? Promise.resolve() : this.#try(() => this.#load(directory));
    await this.#opened;
  }

  bytesOf(principal: string | undefined): number {
    return this.#keptFor(principal).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Most recently used first. */
  list(principal: string | undefined): readonly Head[] {
    return this.#keptFor(principal)
      .map(({ head }) => head)
      .toReversed();
  }

  get(id: string, principal: string | undefined): Promise<CachedPage | undefined> {
    return this.#inTurn(async () => {
      this.#dropPassed();
      const kept = this.#kept.get(id);
      if (kept === undefined || kept.head.principal !== principal) return undefined;
      const body = kept.body ?? (await this.#readBody(id));
      if (body === undefined) {
        // The file was removed by another process or a person.
        this.#forget(id);
        return undefined;
      }
      this.#kept.delete(id);
      this.#kept.set(id, kept);
      const first = JSON.parse(Buffer.from(kept.firstLine).toString()) as FirstLine;
      const { isPassing, ...head } = first.head;
      return { page: { ...head, principal, body }, policy: CachePolicy.fromObject(first.policy), isPassing };
    });
  }

  put({ page, policy, isPassing }: CachedPage): Promise<void> {
    return this.#inTurn(async () => {
      const { body, ...facts } = page;
      const first = { head: { ...facts, isPassing }, policy: policy.toObject(), length: body.length };
      const line = Buffer.from(`${JSON.stringify(first)}\n`);
      const bytes = line.length + body.length;
      const isNew = !this.#kept.has(page.id);
      const fits = bytes <= this.#maxBytes;
      const isStorable = fits && !isPassing && this.#directory !== undefined && line.length <= LONGEST_HEAD;
      const isOnDisk = isStorable && (await this.#try(() => this.#writeFile(page.id, [line, body])));
      if (isOnDisk) this.#forget(page.id);
      else await this.#try(() => this.#remove(page.id));
      if (fits) {
        const kept = {
          head: toHead(first.head),
          firstLine: toOwn(line),
          bytes: isOnDisk ? bytes : bytes + OVERHEAD,
          keptAt: Date.now(),
          body: isOnDisk ? undefined : toOwn(body),
        };
        this.#kept.set(page.id, kept);
        if (isPassing) this.#passing.add(page.id);
        this.#bytes += kept.bytes;
      }
      const isFull = this.#bytes > this.#maxBytes;
      await this.#makeRoom();
      if (isNew === fits || isFull) this.#changed();
    });
  }

  /** Removes the caller's pages that match, and returns them. */
  clear(
    principal: string | undefined,
    isMeant: (head: Head) => boolean,
    isDryRun = false,
  ): Promise<readonly Head[]> {
    return this.#inTurn(async () => {
      const meant = this.list(principal).filter(isMeant);
      if (isDryRun || meant.length === 0) return meant;
      for (const { id } of meant) await this.#remove(id);
      this.#changed();
      return meant;
    });
  }

  /** Runs one task at a time, so that the index and the files stay consistent. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = (this.#lastTurn ?? this.open()).then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Returns whether it succeeded; reports errors. */
  async #try(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      this.#report(new Error(`The cache directory fails: ${reason}`, { cause: thrown }));
      return false;
    }
  }

  #keptFor(principal: string | undefined): readonly CachedFile[] {
    this.#dropPassed();
    return [...this.#kept.values()].filter(({ head }) => head.principal === principal);
  }

  #dropPassed(): void {
    const limit = Date.now() - PASSING_MS;
    for (const id of this.#passing) {
      if ((this.#kept.get(id)?.keptAt ?? 0) >= limit) break;
      this.#forget(id);
    }
  }

  #forget(id: string): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    this.#passing.delete(id);
    this.#bytes -= kept.bytes;
  }

  async #remove(id: string): Promise<void> {
    this.#forget(id);
    if (this.#directory !== undefined) await rm(this.#fileOf(id), { force: true });
  }

  async #makeRoom(): Promise<void> {
    for (const id of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      await this.#try(() => this.#remove(id));
    }
  }

  #fileOf(id: string): string {
    return join(this.#directory ?? "", `${id}.page`);
  }

  /**
   * One file for each page: a line of JSON, then the body. Unlike the kit's AtomicFile, it is not flushed, since every fetch would
   * wait for the disk: a file cut short by a power failure is recognized by its length, and the page fetched again.
   */
  async #writeFile(id: string, content: readonly Uint8Array[]): Promise<void> {
    const file = this.#fileOf(id);
    const temporary = `${file}.${Math.random().toString(36).slice(2)}`;
    try {
      await writeFile(temporary, Buffer.concat(content), { mode: 0o600, flag: "wx" });
      await rename(temporary, file);
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw thrown;
    }
  }

  async #readBody(id: string): Promise<Uint8Array | undefined> {
    try {
      const content = await readFile(this.#fileOf(id));
      const now = new Date();
      await utimes(this.#fileOf(id), now, now);
      return content.subarray(content.indexOf(10) + 1);
    } catch {
      return undefined;
    }
  }

  async #load(directory: string): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const names = (await readdir(directory)).filter((name) => FILE.test(name));
    const found = await Promise.all(names.map((name) => readKept(join(directory, name))));
    for (const kept of found.filter((each) => each !== undefined).toSorted((a, b) => a.keptAt - b.keptAt)) {
      this.#kept.set(kept.head.id, kept);
      this.#bytes += kept.bytes;
    }
    await this.#makeRoom();
  }
}

const toHead = ({ headers, ...head }: FirstLine["head"]): Head => {
  const { id, principal, url, finalUrl, fetchedAt, isPassing } = head;
  return { id, principal, url, finalUrl, fetchedAt, isPassing, type: headers["content-type"] };
};

/** Small buffers are parts of larger ones, which would all be kept. */
const toOwn = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** Undefined if the file cannot be read or is damaged. */
async function readKept(file: string): Promise<CachedFile | undefined> {
  try {
    const { size, mtimeMs } = await stat(file);
    const handle = await open(file);
    try {
      const buffer = Buffer.alloc(Math.min(size, LONGEST_HEAD));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      const end = buffer.subarray(0, bytesRead).indexOf(10);
      const { head, policy, length } = JSON.parse(buffer.subarray(0, end).toString()) as FirstLine;
      if (`${head.id}.page` !== basename(file) || size !== end + 1 + length) return undefined;
      CachePolicy.fromObject(policy);
      return {
        head: toHead(head),
        firstLine: new Uint8Array(buffer.subarray(0, end + 1)),
        bytes: size,
        keptAt: mtimeMs,
        body: undefined,
      };
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
