import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";

import {
  type BodyProblem,
  type Headers,
  type HoldBytes,
  type HttpExchange,
  type HttpStream,
  MOST_UNREAD,
} from "./exchange.ts";
import { NodeRequest } from "./node-request.ts";

/** An exchange over node:http. */
export class NodeExchange extends NodeRequest implements HttpExchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #mayBringMore: () => boolean;

  /** The answer ends the connection unless `mayBringMore` allows further requests on it. */
  constructor(request: IncomingMessage, response: ServerResponse, mayBringMore: () => boolean) {
    super(request);
    this.#request = request;
    this.#response = response;
    this.#mayBringMore = mayBringMore;
  }

  readBody(hold: HoldBytes, done: (body: string | BodyProblem) => void): void {
    const request = this.#request;
    const pieces = new Pieces();
    let isDone = false;
    const finish = (body: string | BodyProblem): void => {
      if (isDone) return;
      isDone = true;
      done(body);
    };
    request.on("data", (part: Buffer) => {
      const problem = isDone ? undefined : hold(part.length);
      if (problem !== undefined) {
        // The rest is not worth reading: the connection ends with the answer.
        this.#response.shouldKeepAlive = false;
        request.pause();
        finish({ problem });
      } else if (!isDone) pieces.add(part);
    });
    request.on("end", () => finish(decode(pieces.join())));
    request.on("close", () => finish({ problem: "aborted" }));
  }

  reply(status: number, headers: Headers, body?: string): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    this.#writeHead(status, status === 204 ? headers : { ...headers, "content-length": length });
    response.end(body);
  }

  openStream(headers: Headers): HttpStream {
    const response = this.#response;
    this.#writeHead(200, headers);
    response.flushHeaders();
    // Events must not wait until there is enough to fill a packet.
    response.socket?.setNoDelay(true);
    return {
      write(text) {
        if (response.destroyed || response.writableEnded) return false;
        // Checked before writing: a single message may be larger than the limit.
        const isRead = response.writableLength <= MOST_UNREAD;
        if (isRead) response.write(text);
        else response.destroy();
        return isRead;
      },
      get unread() {
        return response.writableLength;
      },
      end: () => void response.end(),
    };
  }

  onClose(listener: (isComplete: boolean) => void): void {
    const response = this.#response;
    const close = (): void => listener(response.writableFinished);
    // The client may have disconnected before the listener was added.
    if (response.closed) queueMicrotask(close);
    else response.once("close", close);
  }

  #writeHead(status: number, headers: OutgoingHttpHeaders): void {
    if (!this.#mayBringMore()) this.#response.shouldKeepAlive = false;
    this.#response.writeHead(status, headers);
  }
}

const MOST_APART = 256;

/** A body as it arrives. Pieces are joined in groups: each takes hundreds of bytes, even if it holds only one. */
class Pieces {
  readonly #joined: Buffer[] = [];
  #apart: Buffer[] = [];

  add(piece: Buffer): void {
    this.#apart.push(piece);
    if (this.#apart.length < MOST_APART) return;
    this.#joined.push(Buffer.concat(this.#apart));
    this.#apart = [];
  }

  join(): Buffer {
    const all = [...this.#joined, ...this.#apart];
    return all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
  }
}

/** Drops a byte order mark, as RFC 8259 allows. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Buffer): string | BodyProblem {
  try {
    return UTF8.decode(bytes);
  } catch {
    return { problem: "not-utf8" };
  }
}
