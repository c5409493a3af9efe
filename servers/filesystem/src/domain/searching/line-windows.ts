import { readSync } from "node:fs";
import { TextDecoder } from "node:util";

import { detectEncoding } from "@suite/server-kit/domain";

/** Most files are read with one call. */
const USUAL_BYTES = 64 * 1024;
/** A longer line is split: searching a window blocks all other calls. */
const MOST_BYTES = 256 * 1024;
/** How much of a split line is visible around each piece: a match that starts in the piece may end after it. */
const BEFORE_BYTES = 1024;
const AFTER_BYTES = 16 * 1024;
const NEWLINE = 10;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Whole lines of a file, or a piece of a line that is too long. */
export interface LineWindow {
  /** Valid only until the next window is read. */
  readonly bytes: Buffer;
  /** Start of the window's own lines. What comes before is context. */
  readonly start: number;
  /** End of the window's own lines. What follows is context. */
  readonly end: number;
  /** The number of the line at `start`. */
  readonly line: number;
  /** How many characters of that line were in earlier windows. */
  readonly column: number;
  /** Whether that line continues after `end`. */
  readonly isCut: boolean;
  readonly isLast: boolean;
}

/** Reads files of any size in windows, one file after the other, reusing one buffer. UTF-16 is converted to UTF-8. */
export class LineWindows {
  readonly #context: number;
  #buffer: Buffer = Buffer.allocUnsafe(USUAL_BYTES);
  #fd = -1;
  #decoder: TextDecoder | undefined;
  #filled = 0;
  #isAtEnd = false;
  #start = 0;
  #line = 1;
  #column = 0;

  /** `context`: number of context lines around each window's own lines. */
  constructor(context: number) {
    this.#context = context;
  }

  first(fd: number): LineWindow {
    // Converting UTF-16 may have made it larger.
    if (this.#buffer.length > MOST_BYTES) this.#buffer = Buffer.allocUnsafe(USUAL_BYTES);
    this.#fd = fd;
    this.#decoder = undefined;
    this.#filled = 0;
    this.#start = 0;
    this.#line = 1;
    this.#column = 0;
    this.#fill();
    this.#convertStart();
    this.#dropMark();
    return this.#read();
  }

  next({ bytes, start, end, isCut, isLast }: LineWindow): LineWindow | undefined {
    if (isLast) return undefined;
    this.#line += countLines(bytes, start, end);
    this.#column = isCut ? this.#column + bytes.subarray(start, end).toString().length : 0;
    const keptFrom = isCut ? this.#findCharacter(end - BEFORE_BYTES) : this.#findContext(end);
    this.#buffer.copyWithin(0, keptFrom, this.#filled);
    this.#filled -= keptFrom;
    this.#start = end - keptFrom;
    this.#fill();
    return this.#read();
  }

  /** Drops context lines that are so long that they would fill the buffer. */
  #findContext(end: number): number {
    const context = this.#findLineBack(end, 0);
    return end - context > USUAL_BYTES ? end : context;
  }

  #convertStart(): void {
    const start = this.#buffer.subarray(0, this.#filled);
    const { name } = detectEncoding(start);
    if (name === "utf-8") return;
    this.#decoder = new TextDecoder(name);
    const text = Buffer.from(this.#decoder.decode(start, { stream: !this.#isAtEnd }));
    if (text.length > this.#buffer.length) this.#buffer = text;
    else text.copy(this.#buffer);
    this.#filled = text.length;
  }

  /** Removes the byte order mark: `^` must match after it. */
  #dropMark(): void {
    if (this.#filled < MARK.length || !this.#buffer.subarray(0, MARK.length).equals(MARK)) return;
    this.#buffer.copyWithin(0, MARK.length, this.#filled);
    this.#filled -= MARK.length;
  }

  #read(): LineWindow {
    while (!this.#isAtEnd && this.#lastNewline() < this.#start && this.#buffer.length < MOST_BYTES) {
      const larger = Buffer.allocUnsafe(this.#buffer.length * 2);
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
      this.#fill();
    }
    const isCut = !this.#isAtEnd && this.#lastNewline() < this.#start;
    return {
      bytes: this.#buffer.subarray(0, this.#filled),
      start: this.#start,
      end: this.#isAtEnd ? this.#filled : this.#findEnd(isCut),
      line: this.#line,
      column: this.#column,
      isCut,
      isLast: this.#isAtEnd,
    };
  }

  #fill(): void {
    const room = this.#buffer.length - this.#filled;
    if (!this.#decoder) {
      this.#filled += this.#readInto(this.#buffer.subarray(this.#filled));
      return;
    }
    // Two bytes of UTF-16 become up to three of UTF-8, and half a character may be left from the bytes before.
    const wide = Buffer.allocUnsafe(2 * Math.max(0, Math.floor(room / 3) - 1));
    const read = this.#readInto(wide);
    const text = this.#decoder.decode(wide.subarray(0, read), { stream: !this.#isAtEnd });
    this.#filled += this.#buffer.write(text, this.#filled);
  }

  /** A short read of a regular file means its end. */
  #readInto(target: Buffer): number {
    const read = readSync(this.#fd, target, 0, target.length, null);
    this.#isAtEnd = read < target.length;
    return read;
  }

  #lastNewline(): number {
    return this.#filled === 0 ? -1 : this.#buffer.lastIndexOf(NEWLINE, this.#filled - 1);
  }

  /** Excludes the last lines, which are the context of those before, if any line is left then. */
  #findEnd(isCut: boolean): number {
    if (isCut) return this.#findCharacter(this.#filled - AFTER_BYTES);
    const whole = this.#lastNewline() + 1;
    const end = this.#findLineBack(whole, this.#start);
    return end > this.#start ? end : whole;
  }

  /** The start of the UTF-8 character that contains this byte. */
  #findCharacter(from: number): number {
    let at = from;
    while (at > from - 3 && ((this.#buffer[at] ?? 0) & 0xc0) === 0x80) at -= 1;
    return at;
  }

  /** The start of the line that is `context` lines before. */
  #findLineBack(from: number, least: number): number {
    let at = from;
    for (let count = 0; count < this.#context && at > least; count += 1) {
      at = at < 2 ? 0 : this.#buffer.lastIndexOf(NEWLINE, at - 2) + 1;
    }
    return Math.max(at, least);
  }
}

function countLines(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) if (bytes[index] === NEWLINE) count += 1;
  return count;
}
