import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { PATIENCE_MS } from "@suite/check/wires";
import { BenchFailure } from "../suite.ts";

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

export interface HttpAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** One kept-alive connection that asks one thing at a time, with no more HTTP than it takes to find an answer's end. */
export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #resolveAnswer: ((answer: HttpAnswer) => void) | undefined;
  #reject: ((reason: Error) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#receive(chunk));
    const fail = (): void => this.#reject?.(new BenchFailure("the connection was closed before the answer"));
    socket.on("close", fail);
    socket.on("error", fail);
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect", { signal: AbortSignal.timeout(PATIENCE_MS) });
    return new HttpConnection(socket);
  }

  ask(request: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#resolveAnswer = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#resolveAnswer = undefined;
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const answer = parseAnswer(this.#received);
    if (!answer) return;
    this.#received = Buffer.alloc(0);
    this.#resolveAnswer?.(answer);
  }
}

/** Undefined until the whole answer is there. Nothing follows it: each connection has one request out at a time. */
function parseAnswer(bytes: Buffer): HttpAnswer | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const body = bytes.subarray(end + HEAD_END.length);
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return body.length < Number(length) ? undefined : { status, head, body };
  const isWhole = bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  return isWhole ? { status, head, body: joinChunks(body) } : undefined;
}

function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const lineEnd = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}
