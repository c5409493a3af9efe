/** What a request says before its body. Names of headers are in lower case. */
export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  header(name: string): string | undefined;
  /** Whether there are several lines of it, so that others may have read another value than `header` gives. */
  repeats(name: string): boolean;
}

/** One HTTP request and the answer to it, without the server that carries them: node:http and Fetch both fit underneath. */
export interface HttpExchange extends RequestHead {
  /** Reads the body as text and calls back once. Every part is held before it is kept, unless there is a problem with that. */
  readBody(hold: HoldBytes, done: (body: string | BodyProblem) => void): void;
  reply(status: number, headers: Headers, body?: string): void;
  /** Answers with an event stream that stays open. */
  openStream(headers: Headers): HttpStream;
  /** Calls back once when it is over: with true when all of the answer has left, with false when the peer was gone before. */
  onClose(listener: (isComplete: boolean) => void): void;
}

export type HoldBytes = (bytes: number) => BodyProblem["problem"] | undefined;

/** A reader that lets this much pile up is gone, or means harm. */
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
