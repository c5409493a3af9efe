import type { Readable, Writable } from "node:stream";

import type { JSONRPCMessage } from "../jsonrpc/message.ts";
import { LineFraming } from "./framing.ts";
import { LineWriter } from "./line-writer.ts";
import type { Transport, TransportReceiver } from "./transport.ts";

export interface StreamTransportOptions {
  readonly largestMessage?: number;
  readonly write?: Writable["write"];
  /** Whether a peer that cannot be answered any more counts as gone, although it may still send. */
  readonly endsWithOutput?: boolean;
}

/** Newline-delimited JSON over a pair of byte streams: standard streams, pipes of a child, sockets. */
export class StreamTransport implements Transport {
  readonly #input: Readable;
  readonly #writer: LineWriter;
  readonly #options: StreamTransportOptions;

  constructor(input: Readable, output: Writable, options: StreamTransportOptions = {}) {
    this.#input = input;
    this.#writer = new LineWriter(output, options.write);
    this.#options = options;
  }

  start(receiver: TransportReceiver): void {
    const framing = new LineFraming(receiver, this.#options.largestMessage);
    let isClosed = false;
    const close = (): void => {
      if (isClosed) return;
      isClosed = true;
      framing.end();
      receiver.closed();
    };
    this.#input.on("data", (chunk: Buffer) => {
      this.#writer.gather(() => framing.push(chunk));
      if (this.#writer.isCongested) this.#pause();
    });
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

  /** Hands over at once what was sent, and resolves when it has left, or cannot. */
  flush(): Promise<void> {
    return this.#writer.drained();
  }

  /** Whoever does not read answers is not read from either. */
  #pause(): void {
    this.#input.pause();
    void this.#writer.drained().then(() => this.#input.resume());
  }
}
