import { readSync } from "node:fs";

/** Most files are read with one call. */
const USUAL_BYTES = 64 * 1024;
/** A longer line is cut in two, and columns start anew: how long an expression takes for one window is how long nobody else is heard. */
const MOST_BYTES = 256 * 1024;
const NEWLINE = 10;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A piece of a file in whole lines. */
export interface LineWindow {
  /** Only until the next one is read. */
  readonly bytes: Buffer;
  /** Where the lines start that no window before has covered. What precedes them is there for context, */
  readonly start: number;
  /** and so is what follows from here on. */
  readonly end: number;
  /** The number of the line at `start`. */
  readonly line: number;
  readonly isLast: boolean;
}

/** Reads files of any size in windows, one file after the other, always into the same memory. */
export class LineWindows {
  readonly #context: number;
  #buffer: Buffer = Buffer.allocUnsafe(USUAL_BYTES);
  #fd = -1;
  #filled = 0;
  #isAtEnd = false;
  #start = 0;
  #line = 1;

  /** `context`: how many lines each window keeps around those that are its own. */
  constructor(context: number) {
    this.#context = context;
  }

  first(fd: number): LineWindow {
    this.#fd = fd;
    this.#filled = 0;
    this.#start = 0;
    this.#line = 1;
    this.#fill();
    this.#dropMark();
    return this.#read();
  }

  next({ bytes, start, end, isLast }: LineWindow): LineWindow | undefined {
    if (isLast) return undefined;
    this.#line += countLines(bytes, start, end);
    const context = this.#findLineBack(end, 0);
    // Lines so long that they would leave no room for others are not context.
    const keptFrom = end - context > USUAL_BYTES ? end : context;
    this.#buffer.copyWithin(0, keptFrom, this.#filled);
    this.#filled -= keptFrom;
    this.#start = end - keptFrom;
    this.#fill();
    return this.#read();
  }

  /** The byte order mark is not part of the first line: `^` is behind it. */
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
    return {
      bytes: this.#buffer.subarray(0, this.#filled),
      start: this.#start,
      end: this.#isAtEnd ? this.#filled : this.#findEnd(),
      line: this.#line,
      isLast: this.#isAtEnd,
    };
  }

  /** A regular file gives less than asked only at its end. */
  #fill(): void {
    const wanted = this.#buffer.length - this.#filled;
    const read = readSync(this.#fd, this.#buffer, this.#filled, wanted, null);
    this.#filled += read;
    this.#isAtEnd = read < wanted;
  }

  #lastNewline(): number {
    return this.#filled === 0 ? -1 : this.#buffer.lastIndexOf(NEWLINE, this.#filled - 1);
  }

  /** Leaves out the last lines, which are the context of those before, as long as any line is left. */
  #findEnd(): number {
    const whole = this.#lastNewline() + 1;
    if (whole <= this.#start) return this.#filled;
    const end = this.#findLineBack(whole, this.#start);
    return end > this.#start ? end : whole;
  }

  /** The start of the line that is as far before as the context is long. */
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
