import { readSync } from "node:fs";

/** Most files are read with one call. */
const USUAL_BYTES = 64 * 1024;
/** A longer line comes in pieces: how long an expression takes for one window is how long nobody else is heard. */
const MOST_BYTES = 256 * 1024;
/** Of such a line, seen beside a piece: a match that starts in the piece may end behind it. */
const BEFORE_BYTES = 1024;
const AFTER_BYTES = 16 * 1024;
const NEWLINE = 10;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A piece of a file in whole lines, or of one line that is too long. */
export interface LineWindow {
  /** Only until the next one is read. */
  readonly bytes: Buffer;
  /** Where the lines start that no window before has covered. What precedes them is there for context, */
  readonly start: number;
  /** and so is what follows from here on. */
  readonly end: number;
  /** The number of the line at `start`. */
  readonly line: number;
  /** How many characters of that line the windows before have covered. */
  readonly column: number;
  /** Whether that line goes on behind `end`. */
  readonly isCut: boolean;
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
  #column = 0;

  /** `context`: how many lines each window keeps around those that are its own. */
  constructor(context: number) {
    this.#context = context;
  }

  first(fd: number): LineWindow {
    this.#fd = fd;
    this.#filled = 0;
    this.#start = 0;
    this.#line = 1;
    this.#column = 0;
    this.#fill();
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

  /** Lines so long that they would leave no room for others are not context. */
  #findContext(end: number): number {
    const context = this.#findLineBack(end, 0);
    return end - context > USUAL_BYTES ? end : context;
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
  #findEnd(isCut: boolean): number {
    if (isCut) return this.#findCharacter(this.#filled - AFTER_BYTES);
    const whole = this.#lastNewline() + 1;
    const end = this.#findLineBack(whole, this.#start);
    return end > this.#start ? end : whole;
  }

  /** Where the character starts that a byte belongs to, as UTF-8 has it. */
  #findCharacter(from: number): number {
    let at = from;
    while (at > from - 3 && ((this.#buffer[at] ?? 0) & 0xc0) === 0x80) at -= 1;
    return at;
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
