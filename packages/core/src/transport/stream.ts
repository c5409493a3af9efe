import type { Readable, Writable } from "node:stream";

import { inBackground } from "../timing/timers.ts";
import type { JSONRPCMessage } from "../jsonrpc/message.ts";
import { LineFraming } from "./framing.ts";
import { LineWriter } from "./line-writer.ts";
import type { Transport, TransportReceiver } from "./transport.ts";

/** For `StreamTransport`. */
export interface StreamTransportOptions {
  readonly largestMessage?: number;
  readonly write?: Writable["write"];
  /** Whether a peer that has closed our output counts as gone, although it may still send. */
  readonly endsWithOutput?: boolean;
}

/** While the output is stuck, one chunk of input is read this often, to see whether the input has ended. */
const PROBE_MS = 1000;
/** Chunks that are held until the output moves again: a few megabytes. */
const MOST_HELD = 64;

/** Newline-delimited JSON over a pair of byte streams: standard streams, pipes of a child, sockets. */
export class StreamTransport implements Transport {
  readonly #input: Readable;
  readonly #writer: LineWriter;
  readonly #options: StreamTransportOptions;
  /** Input that came while the output was stuck; undefined while it is not. */
  #held: Buffer[] | undefined;
  #isClosed = false;

  constructor(input: Readable, output: Writable, options: StreamTransportOptions = {}) {
    this.#input = input;
    this.#writer = new LineWriter(output, options.write);
    this.#options = options;
  }

  start(receiver: TransportReceiver): void {
    const framing = new LineFraming(receiver, this.#options.largestMessage);
    const close = (): void => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      // Removed, or `#holdInput` would process them once more.
      for (const chunk of this.#held?.splice(0) ?? []) framing.push(chunk);
      framing.end();
      receiver.closed();
    };
    this.#input.on("data", (chunk: Buffer) => this.#receive(chunk, framing));
    this.#input.on("end", close);
    this.#input.on("close", close);
    this.#input.on("error", close);
    if (this.#options.endsWithOutput) this.#writer.onBreak(close);
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    this.#writer.send(message);
  }

  async close(): Promise<void> {
    this.#input.pause();
    await this.flush();
  }

  /** Writes at once what was sent; resolves when that is done, or turns out to be impossible. */
  flush(): Promise<void> {
    return this.#writer.drained();
  }

  #receive(chunk: Buffer, framing: LineFraming): void {
    if (this.#isClosed) return;
    if (this.#held) {
      this.#held.push(chunk);
      this.#input.pause();
      return;
    }
    this.#writer.gather(() => framing.push(chunk));
    if (this.#writer.isCongested) void this.#holdInput(framing);
  }

  /** While the peer does not read answers, its input is not read either, except to notice that it has closed. */
  async #holdInput(framing: LineFraming): Promise<void> {
    const held: Buffer[] = (this.#held = []);
    this.#input.pause();
    const probe = (): void => {
      if (held.length < MOST_HELD) this.#input.resume();
    };
    const probing = inBackground(setInterval(probe, PROBE_MS));
    await this.#writer.drained();
    clearInterval(probing);
    this.#held = undefined;
    for (const chunk of held) this.#receive(chunk, framing);
    if (!this.#held) this.#input.resume();
  }
}
