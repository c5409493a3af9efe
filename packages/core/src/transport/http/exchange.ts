/** A request without its body. Header names are in lower case. */
export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  header(name: string): string | undefined;
  /** Whether the header has several lines, so that a proxy may have read another value than `header` returns. */
  repeats(name: string): boolean;
}

/** One HTTP request and the answer to it, without the server that carries them: node:http and Fetch both fit underneath. */
export interface HttpExchange extends RequestHead {
  /** Reads the body as text and calls `done` once. `hold` is asked for room before each part is kept, and may refuse it. */
  readBody(hold: HoldBytes, done: (body: string | BodyProblem) => void): void;
  reply(status: number, headers: Headers, body?: string): void;
  /** Answers with an event stream that stays open. */
  openStream(headers: Headers): HttpStream;
  /** Calls back once at the end: with true if the whole answer was sent, with false if the peer disconnected before. */
  onClose(listener: (isComplete: boolean) => void): void;
}

export type HoldBytes = (bytes: number) => BodyProblem["problem"] | undefined;

/** In bytes. A peer that leaves more than this unread is disconnected. */
export const MOST_UNREAD: number = 16 * 1024 * 1024;

export type Headers = { readonly [name: string]: string };

export interface HttpStream {
  /** False once the peer is gone or reads too slowly to be worth waiting for. */
  write(text: string): boolean;
  /** Bytes that were written and have not left yet. */
  readonly unread: number;
  end(): void;
}

export interface BodyProblem {
  readonly problem: "too-large" | "too-many" | "not-utf8" | "aborted";
}
