import { isUtf8 } from "node:buffer";

/** UTF-8 where it is, else Latin-1, which has a letter for every byte. */
export const decodeText = (bytes: Buffer): string => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1");

/** Cuts a stream into lines without their ends, whatever the pieces it comes in. A very long line comes in parts. */
export class LineReader {
  readonly #take: (line: Buffer, isWhole: boolean) => "stop" | undefined;
  readonly #longest: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(take: (line: Buffer, isWhole: boolean) => "stop" | undefined, longest: number = 1024 * 1024) {
    this.#take = take;
    this.#longest = longest;
  }

  push(chunk: Buffer): "stop" | undefined {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
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
