import type { Fields, Message, Predicate } from "./message.ts";
import type { Revision } from "./revisions.ts";

/** What both sides of a line said, in order. */
export interface Transcript {
  readonly said: readonly Message[];
  readonly heard: readonly Message[];
}

export interface RequestOptions {
  readonly id?: unknown;
  /** Merged over the revision's own `_meta`; a field set to undefined is left out. */
  readonly meta?: Fields;
}

export type AnswerQuestion = (params: Fields) => Fields | Promise<Fields>;

/** A client's end of a connection, over whatever transport: says anything, hears everything. */
export interface AnyWire extends Transcript {
  readonly revision: Revision | undefined;
  /** Sends a request without waiting for its response, and gives its id. */
  send(method: string, params?: Fields, options?: RequestOptions): unknown;
  /** Sends a request and gives the whole response, result or error. */
  request(method: string, params?: Fields, options?: RequestOptions): Promise<Message>;
  notify(method: string, params?: Fields): void;
  /** Calls a request off. */
  cancel(id: unknown): void;
  /** Takes the oldest message not yet taken that fits; waits for it if need be. */
  hear(fits?: Predicate, timeoutMs?: number): Promise<Message>;
  /** Lets time pass and gives what was heard in it. */
  quiet(ms: number): Promise<readonly Message[]>;
  /** Nothing more is waited for: whatever waits fails with these words. */
  giveUp(why: string): void;
  /** From now on answers the server's requests of this method. */
  answer(method: string, handler: AnswerQuestion): void;
}
