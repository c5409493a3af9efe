const NEWLINE = 0x0a;
const NOTIFICATION = Buffer.from('{"jsonrpc":"2.0","method":');

/** Counts lines that are no notifications, in raw bytes: cheap enough for the timed section, unlike decoding or parsing. */
export class AnswerCounter {
  /** How the line that has no end yet begins. */
  #start = Buffer.alloc(0);

  count(chunk: Buffer): number {
    let answers = 0;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const start =
        this.#start.length === 0 ? chunk.subarray(from, end) : this.#with(chunk.subarray(from, end));
      this.#start = Buffer.alloc(0);
      if (!isNotification(start)) answers += 1;
      from = end + 1;
    }
    this.#start = this.#with(chunk.subarray(from));
    return answers;
  }

  #with(bytes: Buffer): Buffer<ArrayBuffer> {
    return Buffer.concat([this.#start, bytes.subarray(0, NOTIFICATION.length - this.#start.length)]);
  }
}

const isNotification = (line: Buffer): boolean =>
  line.length >= NOTIFICATION.length &&
  line.compare(NOTIFICATION, 0, NOTIFICATION.length, 0, NOTIFICATION.length) === 0;
