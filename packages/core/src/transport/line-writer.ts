import type { Writable } from "node:stream";

import type { JSONRPCMessage } from "../jsonrpc/message.ts";
import { toJson } from "../jsonrpc/to-json.ts";

/** Text gathered up to here is handed over at once instead of at the end of the turn. */
const FLUSH_AT = 64 * 1024;
/** Above this much unread output the reader is too slow, and more input would only make it worse. */
const CONGESTED_AT = 4 * 1024 * 1024;

/**
 * Writes messages as lines, gathering all that one turn of the event loop produces into one write: a system call costs more
 * than a small answer does. Answers that are ready while a chunk of input is being processed are written right after it.
 */
export class LineWriter {
  readonly #stream: Writable;
  readonly #write: Writable["write"];
  #text = "";
  #isScheduled = false;
  #isGathering = false;
  #isBroken = false;
  #drained: (() => void)[] = [];
  #whenBroken: () => void = () => undefined;

  /** `write` replaces the stream's own method where that has been redirected, as for stdout. */
  constructor(stream: Writable, write: Writable["write"] = stream.write.bind(stream)) {
    this.#stream = stream;
    this.#write = write;
    // EPIPE and the like: the reader is gone, so the error cannot be reported to it.
    stream.on("error", () => this.#break());
    stream.on("close", () => this.#break());
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    if (this.#isBroken) return;
    this.#text += `${toJson(message)}\n`;
    if (this.#text.length >= FLUSH_AT) this.#flush();
    else if (!this.#isScheduled && !this.#isGathering) {
      this.#isScheduled = true;
      setImmediate(this.#flushScheduled);
    }
  }

  /** Everything sent while `work` runs goes out in one write right after it. */
  gather(work: () => void): void {
    this.#isGathering = true;
    try {
      work();
    } finally {
      this.#isGathering = false;
      this.#flush();
    }
  }

  get isCongested(): boolean {
    return !this.#isBroken && this.#stream.writableLength > CONGESTED_AT;
  }

  onBreak(listener: () => void): void {
    this.#whenBroken = listener;
  }

  /** Resolves when nothing waits to be written any more, or nothing can be written any more. */
  drained(): Promise<void> {
    this.#flush();
    if (this.#isBroken || this.#stream.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  readonly #flushScheduled = (): void => {
    this.#isScheduled = false;
    this.#flush();
  };

  #flush(): void {
    if (this.#text === "" || this.#isBroken) return;
    const text = this.#text;
    this.#text = "";
    this.#write(text, () => {
      if (this.#stream.writableLength === 0) this.#release();
    });
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#text = "";
    this.#release();
    this.#whenBroken();
  }

  #release(): void {
    const drained = this.#drained;
    this.#drained = [];
    for (const resolve of drained) resolve();
  }
}
