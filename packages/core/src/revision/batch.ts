import { isResponse, type JSONRPCMessage, type JSONRPCResponse, type RequestId } from "../jsonrpc/message.ts";
import type { ReplyChannel } from "../connection/reply-channel.ts";

/** Gathers the answers to one batch and sends them together (2025-03-26 only). */
export class BatchReplyChannel implements ReplyChannel {
  readonly #channel: ReplyChannel;
  readonly #answers: JSONRPCResponse[] = [];
  #missing: number;
  #lastAbandoned: RequestId | undefined;

  /** Waits until `expected` requests are answered or abandoned. */
  constructor(channel: ReplyChannel, expected: number) {
    this.#channel = channel;
    this.#missing = expected;
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    if (isResponse(message)) {
      // An answer that is not serializable must fail by itself, here, and not when the whole batch is sent.
      JSON.stringify(message);
      this.#answers.push(message);
      this.#countDown();
    } else this.#channel.send(message);
  }

  abandon(id: RequestId): void {
    this.#lastAbandoned = id;
    this.#countDown();
  }

  #countDown(): void {
    this.#missing -= 1;
    if (this.#missing > 0) return;
    if (this.#answers.length > 0) this.#channel.send(this.#answers);
    else if (this.#lastAbandoned !== undefined) this.#channel.abandon?.(this.#lastAbandoned);
  }
}
