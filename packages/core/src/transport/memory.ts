import type { JSONRPCMessage } from "../jsonrpc/message.ts";
import { toJson } from "../jsonrpc/to-json.ts";
import type { Transport, TransportReceiver } from "./transport.ts";

/**
 * Two ends of one line in one process. Messages go through JSON, as they would on any wire, and arrive in a later turn, as
 * they would from another process.
 */
export function createMemoryPair(): [Transport, Transport] {
  const left = new MemoryEnd();
  const right = new MemoryEnd();
  left.peer = right;
  right.peer = left;
  return [left, right];
}

class MemoryEnd implements Transport {
  peer: MemoryEnd | undefined;
  #receiver: TransportReceiver | undefined;
  #waiting: string[] = [];
  #isClosed = false;

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const text of waiting) this.#deliver(text);
    if (this.#isClosed) setTimeout(() => receiver.closed());
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    const text = toJson(message);
    if (!this.#isClosed) this.peer?.accept(text);
  }

  close(): Promise<void> {
    this.end();
    this.peer?.end();
    return Promise.resolve();
  }

  accept(text: string): void {
    if (this.#receiver) this.#deliver(text);
    else this.#waiting.push(text);
  }

  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    setTimeout(() => this.#receiver?.closed());
  }

  #deliver(text: string): void {
    setTimeout(() => this.#receiver?.message(JSON.parse(text)));
  }
}
