import { Fault, fitItems, shownSize } from "@suite/server-kit/domain";
import * as v from "valibot";

import { splitRecords, toFileName } from "../names.ts";

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
    const end = this.#bytes.indexOf("\0\0");
    if (end < 0) return undefined;
    const patch = this.#bytes.subarray(end + 2);
    this.#bytes = this.#bytes.subarray(0, end);
    return patch;
  }

  /** The list ends with the output where there is no patch. */
  list(): ListedFiles {
    if (this.isTooLong) {
      throw new Fault("too_large", "Too many files are different to list them", {
        hint: "Narrow it with paths.",
      });
    }
    const records = splitRecords(this.#bytes).values();
    const nextName = (): string => toFileName(records.next().value ?? Buffer.alloc(0));
    for (const record of records) {
      const text = record.toString("latin1");
      if (text.startsWith(":")) this.#readRaw(text, nextName);
      else this.#readCounts(record, nextName);
    }
    const { items, rest } = fitItems([...this.#files.values()], this.#budget);
    return {
      files: [...items],
      leftOut: this.#beyond + rest.length,
      size: items.reduce((size, item) => size + shownSize(item) + 1, 0),
      isCombined: this.#isCombined,
    };
  }

  #readRaw(text: string, nextName: () => string): void {
    const isCombined = text.startsWith("::");
    const letter = isCombined ? "U" : (/([A-Z])\d*$/.exec(text)?.[1] ?? "M");
    this.#isCombined ||= isCombined;
    const from = letter === "R" || letter === "C" ? { from: nextName() } : {};
    const path = nextName();
    if (this.#files.size >= MOST_FILES) this.#beyond += 1;
    else this.#files.set(path, { path, ...from, change: CHANGES[letter] ?? letter });
  }

  #readCounts(record: Buffer, nextName: () => string): void {
    const [added = "-", removed = "-"] = record.toString("latin1").split("\t");
    const name = record.subarray(added.length + removed.length + 2);
    // The names of a renamed file follow, the old one first.
    const file = this.#files.get(name.length > 0 ? toFileName(name) : (nextName(), nextName()));
    if (!file || added === "-") return;
    this.#files.set(file.path, { ...file, added: Number(added), removed: Number(removed) });
  }
}
