import { readSync } from "node:fs";

import { Fault, type OpenFile, type PathGuard, type SafePath, toFault } from "@suite/server-kit/domain";

const PIECE_BYTES = 256 * 1024;

/** A file of text, in pieces. What is not UTF-8 is refused: a guess would change what is imported. */
export class TextFile implements AsyncIterable<string> {
  readonly #path: SafePath;
  readonly #file: OpenFile;
  #isOpen = true;

  constructor(guard: PathGuard, given: string) {
    this.#path = guard.locate(given);
    this.#file = guard.openFile(this.#path);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    // Whoever reads may be a step behind whoever closes; the number would by then stand for another file.
    while (this.#isOpen) {
      const bytes = this.#read(buffer);
      yield this.#decode(() => decoder.decode(buffer.subarray(0, bytes), { stream: bytes > 0 }));
      if (bytes === 0) return;
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#file.close();
  }

  #read(buffer: Buffer): number {
    try {
      return readSync(this.#file.fd, buffer);
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
        `${JSON.stringify(this.#path)} is not UTF-8 text. Nothing was imported.`,
        {
          hint: "Convert the file to UTF-8 first.",
          cause,
        },
      );
    }
  }
}
