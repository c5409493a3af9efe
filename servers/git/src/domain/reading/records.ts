import { isUtf8 } from "node:buffer";

import { truncate } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";

/** As UTF-8 if valid, else as Latin-1, which accepts any byte. */
export const decodeText = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");

const LONGEST_LINE = 1000;

/** For a line that somebody wrote, such as the subject of a commit: one of any length would leave no room for others. */
export const toShortLine = (text: string): string => truncate(text, LONGEST_LINE);

/** The bytes that this needs: more than it shows, in whole characters. */
export function toShortBytes(bytes: Buffer): Buffer {
  const most = 4 * LONGEST_LINE;
  let end = most;
  while (end > most - 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

const LINE_END = 10;
const LONGEST = 1024 * 1024;

/**
 * Splits a stream into lines, or records with another ending, without the ending. A very long line is passed in parts.
 */
export class LineReader {
  readonly #take: (line: Buffer, isWhole: boolean) => "stop" | undefined;
  readonly #ending: number;
  readonly #longest: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    take: (line: Buffer, isWhole: boolean) => "stop" | undefined,
    { ending = LINE_END, longest = LONGEST } = {},
  ) {
    this.#take = take;
    this.#ending = ending;
    this.#longest = longest;
  }

  push(chunk: Buffer): "stop" | undefined {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(this.#ending); end >= 0; end = bytes.indexOf(this.#ending, start)) {
      if (this.#take(bytes.subarray(start, end), true) === "stop") return "stop";
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length <= this.#longest) return undefined;
    const part = this.#rest;
    this.#rest = Buffer.alloc(0);
    return this.#take(part, false);
  }

  end(): void {
    if (this.#rest.length > 0) this.#take(this.#rest, true);
    this.#rest = Buffer.alloc(0);
  }
}

/** Passes on the records of `-z` output one by one: those of a very large repository should not be held at once. */
export async function readRecords(
  call: RepositoryCall,
  args: readonly string[],
  take: (record: Buffer) => "stop" | undefined,
): Promise<void> {
  const reader = new LineReader(take, { ending: 0 });
  await call.run(args, { onOutput: (chunk) => reader.push(chunk) });
}

/** Passes on blobs one by one, each as soon as it is whole, with the place of its name. Names of anything else are skipped. */
export async function readBlobs(
  call: RepositoryCall,
  names: readonly string[],
  take: (bytes: Buffer, at: number) => void,
): Promise<void> {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = 0;
  let at = 0;
  const onOutput = (chunk: Buffer): undefined => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    let rest = Buffer.concat(chunks);
    for (let end = rest.indexOf(LINE_END); end >= 0; end = rest.indexOf(LINE_END)) {
      const header = rest.subarray(0, end).toString("latin1");
      const [, kind, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(header) ?? [];
      // A line end follows the object. What is missing has no size.
      needed = size === undefined ? end + 1 : end + 1 + Number(size) + 1;
      if (rest.length < needed) break;
      if (kind === "blob") take(rest.subarray(end + 1, needed - 1), at);
      at += 1;
      rest = rest.subarray(needed);
      needed = 0;
    }
    chunks = [rest];
    length = rest.length;
  };
  if (names.length === 0) return;
  await call.run(["cat-file", "--batch"], { input: `${names.join("\n")}\n`, onOutput });
}
