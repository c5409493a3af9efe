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
/** Byte order marks, or in UTF-16 without one, two ASCII characters; most files have neither. */
const MARKS: readonly (readonly [start: RegExp, encoding: string])[] = [
  [/^efbbbf/, "utf-8"],
  [/^(?:fffe|(?!00)..00(?!00)..00)/, "utf-16le"],
  [/^(?:feff|00(?!00)..00(?!00)..)/, "utf-16be"],
];

/** Reads a text file in pieces. Throws on bytes that are invalid in its encoding, rather than importing replacements. */
export class TextFile implements AsyncIterable<string> {
  readonly encoding: string;
  readonly #path: SafePath;
  readonly #file: OpenFile;
  #isOpen = true;

  /** Without an encoding, the first bytes and the first piece decide: UTF-8, even if slightly broken, else windows-1252. */
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

  /** The first piece. Invalid bytes are not reported here, but when the file is read. */
  peek(): string {
    return new TextDecoder(this.encoding).decode(this.#first(), { stream: true });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const decoder = new TextDecoder(this.encoding, { fatal: true });
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    let position = 0;
    // The file may be closed between two steps; its descriptor could then belong to another file.
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
  const hex = start.toString("hex", 0, 4);
  const marked = MARKS.find(([pattern]) => pattern.test(hex))?.[1];
  if (marked !== undefined) return marked;
  try {
    // The last character can only be cut if the file goes on.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: start.length >= PIECE_BYTES });
    return "utf-8";
  } catch {
    // Broken UTF-8 has more valid characters than invalid ones; in windows-1252, few byte pairs happen to be valid UTF-8.
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
