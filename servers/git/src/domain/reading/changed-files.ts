import { Fault, fitItems, shownSize } from "@suite/server-kit/domain";
import * as v from "valibot";

import { toFileName } from "../names.ts";

const CHANGED_FILE = {
  path: v.string(),
  // added, modified, deleted, renamed, copied, type_changed, unmerged
  change: v.string(),
  from: v.exactOptional(v.string()),
};

export const ChangedFile = v.object(CHANGED_FILE);
export type ChangedFile = v.InferOutput<typeof ChangedFile>;

/** Binary files have no counts. */
export const CountedFile = v.object({
  ...CHANGED_FILE,
  added: v.exactOptional(v.number()),
  removed: v.exactOptional(v.number()),
});
type CountedFile = v.InferOutput<typeof CountedFile>;

/** Git's status letters. */
export const CHANGES: { readonly [letter: string]: string } = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "type_changed",
  U: "unmerged",
};

const MOST_FILES = 300;
const MOST_BYTES = 8 * 1024 * 1024;

interface ListedFiles {
  readonly files: CountedFile[];
  readonly leftOut: number;
  /** How much of the page they take. */
  readonly size: number;
  /** There are conflicts, which git shows as a combined diff. */
  readonly isCombined: boolean;
}

/** Reads what `--raw --numstat -z` prints before a patch: records, then an empty one. */
export class ChangedFilesReader {
  readonly #budget: number;
  readonly #files = new Map<string, CountedFile>();
  #bytes: Buffer = Buffer.alloc(0);
  #beyond = 0;
  #isCombined = false;

  constructor(budget: number) {
    this.#budget = budget;
  }

  get isTooLong(): boolean {
    return this.#bytes.length > MOST_BYTES;
  }

  /** Returns the bytes after the list, or undefined while the list is incomplete. */
  push(chunk: Buffer): Buffer | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    return this.#read(this.#bytes);
  }

  /** Without a patch, the list ends with the output. */
  end(): ListedFiles {
    if (this.isTooLong) {
      throw new Fault("too_large", "Too many files are different to list them", {
        hint: "Narrow it with paths.",
      });
    }
    this.#read(Buffer.concat([this.#bytes, Buffer.of(0)]));
    return this.list();
  }

  list(): ListedFiles {
    const { items, rest } = fitItems([...this.#files.values()], this.#budget);
    return {
      files: [...items],
      leftOut: this.#beyond + rest.length,
      size: items.reduce((size, item) => size + shownSize(item) + 1, 0),
      isCombined: this.#isCombined,
    };
  }

  #read(bytes: Buffer): Buffer | undefined {
    this.#files.clear();
    this.#beyond = 0;
    let at = 0;
    const next = (): Buffer | undefined => {
      const end = bytes.indexOf(0, at);
      if (end < 0) return undefined;
      const record = bytes.subarray(at, end);
      at = end + 1;
      return record;
    };
    for (let record = next(); record; record = next()) {
      if (record.length === 0) return bytes.subarray(at);
      const text = record.toString("latin1");
      if (text.startsWith(":")) this.#readRaw(text, next);
      else this.#readCounts(record, next);
    }
    return undefined;
  }

  #readRaw(text: string, next: () => Buffer | undefined): void {
    const isCombined = text.startsWith("::");
    const letter = isCombined ? "U" : (/([A-Z])\d*$/.exec(text)?.[1] ?? "M");
    this.#isCombined ||= isCombined;
    const first = next();
    const second = letter === "R" || letter === "C" ? next() : undefined;
    if (!first) return;
    const path = toFileName(second ?? first);
    if (this.#files.size >= MOST_FILES) this.#beyond += 1;
    else {
      this.#files.set(path, {
        path,
        ...(second && { from: toFileName(first) }),
        change: CHANGES[letter] ?? letter,
      });
    }
  }

  #readCounts(record: Buffer, next: () => Buffer | undefined): void {
    const [added = "-", removed = "-"] = record.toString("latin1").split("\t");
    const name = record.subarray(added.length + removed.length + 2);
    const bytes = name.length > 0 ? name : (next(), next());
    const file = bytes && this.#files.get(toFileName(bytes));
    if (!file || added === "-") return;
    this.#files.set(file.path, { ...file, added: Number(added), removed: Number(removed) });
  }
}
