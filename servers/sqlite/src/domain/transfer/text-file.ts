import { readSync } from "node:fs";

import {
  Fault,
  type OpenFile,
  type PathGuard,
  quotePath,
  type SafePath,
  toFault,
} from "@suite/server-kit/domain";

const PIECE_BYTES = 256 * 1024;
/** A mark at its start names the encoding of a file; most have none. */
const MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ["efbbbf", "utf-8"],
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
];

/** A file of text, in pieces. What is not in its encoding is refused: a guess would change what is imported. */
export class TextFile implements AsyncIterable<string> {
  readonly encoding: string;
  readonly #path: SafePath;
  readonly #file: OpenFile;
  #isOpen = true;

  /** Without an encoding, the file's mark and its first piece decide: UTF-8 if they are, or seem to be meant so, else windows-1252. */
  constructor(guard: PathGuard, given: string, encoding?: string) {
    this.#path = guard.locate(given);
    this.#file = guard.openFile(this.#path);
    try {
      this.encoding = encoding === undefined ? guessEncoding(this.#first()) : requireEncoding(encoding);
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  /** Its first piece. What is broken in there is told by whoever reads the file. */
  peek(): string {
    return new TextDecoder(this.encoding).decode(this.#first(), { stream: true });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const decoder = new TextDecoder(this.encoding, { fatal: true });
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    let position = 0;
    // Whoever reads may be a step behind whoever closes; the number would by then stand for another file.
    while (this.#isOpen) {
      const bytes = this.#read(buffer, position);
      position += bytes;
      yield this.#decode(() => decoder.decode(buffer.subarray(0, bytes), { stream: bytes > 0 }));
      if (bytes === 0) return;
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#file.close();
  }

  #first(): Buffer {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    return buffer.subarray(0, this.#read(buffer, 0));
  }

  #read(buffer: Buffer, position: number): number {
    try {
      return readSync(this.#file.fd, buffer, 0, buffer.length, position);
    } catch (thrown) {
      throw toFault(thrown, this.#path);
    }
  }

  #decode(decode: () => string): string {
    try {
      return decode();
    } catch (cause) {
      throw new Fault(
        "invalid_input",
        `${quotePath(this.#path)} is not ${this.encoding} text. Nothing was imported.`,
        {
          hint: "Say which encoding it has, such as windows-1252.",
          cause,
        },
      );
    }
  }
}

function guessEncoding(start: Buffer): string {
  const hex = start.toString("hex", 0, 3);
  const marked = MARKS.find(([mark]) => hex.startsWith(mark))?.[1];
  if (marked !== undefined) return marked;
  try {
    // Only where there is more can the last character be cut.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: start.length >= PIECE_BYTES });
    return "utf-8";
  } catch {
    // Broken UTF-8 has more good characters than broken ones; in windows-1252, few pairs of letters happen to be one.
    const text = start.toString();
    const countAll = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
    return countAll(/[^\0-\x7F\uFFFD]/gu) > countAll(/\uFFFD/g) ? "utf-8" : "windows-1252";
  }
}

function requireEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    throw new Fault("invalid_input", `There is no encoding ${JSON.stringify(label.slice(0, 100))}.`, {
      hint: "utf-8, utf-16le and windows-1252 are common ones.",
      cause,
    });
  }
}
