import { invalidRequest, parseError, ProtocolError } from "../jsonrpc/error.ts";
import { parseMessage } from "../jsonrpc/parse-json.ts";

/** Enough for a large file in base64, little enough to hold in memory. */
export const LARGEST_MESSAGE: number = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

export interface FrameReceiver {
  message(value: unknown): void;
  unreadable(error: ProtocolError): void;
}

/**
 * Cuts a byte stream into JSON values, one per line. All complete lines of a chunk are decoded at once, since a newline
 * byte can never be part of a longer character; what is left over is kept as it came and joined once, when its newline
 * arrives, so a message in many pieces costs no more than its length.
 */
export class LineFraming {
  readonly #receiver: FrameReceiver;
  readonly #limit: number;
  #parts: Buffer[] = [];
  #held = 0;
  #isSkipping = false;

  constructor(receiver: FrameReceiver, limit: number = LARGEST_MESSAGE) {
    this.#receiver = receiver;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) return this.#hold(chunk);
    const first = this.#held > 0 || this.#isSkipping ? chunk.indexOf(NEWLINE) : -1;
    if (first !== -1) this.#finishHeld(chunk.subarray(0, first));
    if (end > first) this.#readLines(chunk.subarray(first + 1, end));
    if (end + 1 < chunk.length) this.#hold(chunk.subarray(end + 1));
  }

  /** The stream is over: a last line may lack its newline. */
  end(): void {
    if (this.#held > 0) this.#finishHeld(Buffer.alloc(0));
  }

  #hold(part: Buffer): void {
    if (this.#isSkipping) return;
    this.#held += part.length;
    if (this.#held > this.#limit) {
      this.#parts = [];
      this.#held = 0;
      this.#isSkipping = true;
      this.#receiver.unreadable(tooLarge(this.#limit));
      return;
    }
    this.#parts.push(part);
  }

  #finishHeld(rest: Buffer): void {
    const wasSkipping = this.#isSkipping;
    const line = wasSkipping ? rest : Buffer.concat([...this.#parts, rest]);
    this.#parts = [];
    this.#held = 0;
    this.#isSkipping = false;
    if (!wasSkipping) this.#readLines(line);
  }

  #readLines(bytes: Buffer): void {
    const text = bytes.toString("utf8");
    // Bytes that are not UTF-8 decode to U+FFFD; only then is it worth finding out which lines are to blame.
    if (text.includes("\uFFFD") && !isUtf8(bytes)) return this.#readByteLines(bytes);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#readLine(text.slice(start, end));
      start = end + 1;
    }
    this.#readLine(start === 0 ? text : text.slice(start));
  }

  #readByteLines(bytes: Buffer): void {
    let start = 0;
    while (start <= bytes.length) {
      const newline = bytes.indexOf(NEWLINE, start);
      const line = bytes.subarray(start, newline === -1 ? bytes.length : newline);
      if (isUtf8(line)) this.#readLine(line.toString("utf8"));
      else this.#receiver.unreadable(parseError("Parse error: the message is not valid UTF-8"));
      start += line.length + 1;
    }
  }

  #readLine(line: string): void {
    if (line === "" || line === "\r") return;
    // No character takes more than three bytes per unit of length: nearly all lines are known to fit without counting.
    if (line.length * 3 > this.#limit && Buffer.byteLength(line) > this.#limit) {
      return this.#receiver.unreadable(tooLarge(this.#limit));
    }
    const value = parseMessage(line);
    if (value instanceof ProtocolError) this.#receiver.unreadable(value);
    else this.#receiver.message(value);
  }
}

// Not node:buffer's function of that name: importing that module at start costs more than this ever will.
function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const tooLarge = (limit: number): ProtocolError =>
  invalidRequest(`The message is larger than the limit of ${limit} bytes`, { limit });
