import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** How many requests may wait on one connection. No client that waits for its answers comes near. */
const MOST_WAITING = 1000;

type Turn = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Handles the requests of each connection one after the other, as RFC 9112 (section 9.3.2) asks for all but safe methods.
 * node:http reports the end of a connection only to the response that has the socket: a pipelined request that was begun
 * before its turn would never hear that its client has left.
 */
export class RequestTurns {
  /** How many requests wait on all connections. */
  count = 0;
  readonly #handle: RequestListener;
  /** The requests that wait for their turn, for each connection that is being answered. */
  readonly #waiting = new WeakMap<Duplex, Turn[]>();

  constructor(handle: RequestListener) {
    this.#handle = handle;
  }

  readonly take: RequestListener = (request, response) => {
    const { socket } = request;
    const waiting = this.#waiting.get(socket);
    if (!waiting) {
      this.#waiting.set(socket, []);
      this.#begin(socket, [request, response]);
    } else if (waiting.length < MOST_WAITING) {
      waiting.push([request, response]);
      this.count += 1;
    } else socket.destroy();
  };

  /** Whether a request of this connection is still being answered. */
  isBusy(socket: Duplex): boolean {
    return this.#waiting.has(socket);
  }

  /** A response without the socket will never get it: the connection has ended, or ends with the previous answer. */
  #begin(socket: Duplex, turn: Turn | undefined): void {
    if (!turn?.[1].socket) return this.#forget(socket);
    turn[1].once("close", () => this.#begin(socket, this.#next(socket)));
    this.#handle(...turn);
  }

  #next(socket: Duplex): Turn | undefined {
    const turn = this.#waiting.get(socket)?.shift();
    if (turn) this.count -= 1;
    return turn;
  }

  #forget(socket: Duplex): void {
    this.count -= this.#waiting.get(socket)?.length ?? 0;
    this.#waiting.delete(socket);
  }
}
