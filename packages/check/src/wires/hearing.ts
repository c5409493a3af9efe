import type { AnswerQuestion, RequestOptions } from "./any-wire.ts";
import { type Fields, isAnswerTo, isRequest, type Message, type Predicate } from "./message.ts";
import { PATIENCE_MS } from "./patience.ts";
import {
  isModern,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
  type Revision,
} from "./revisions.ts";

/** As the wires name themselves. */
export const CLIENT = { name: "wire", version: "1" };

/** What every request says in the modern era; in the legacy one the handshake said it. */
export const metaIn = (revision: Revision | undefined, capabilities: object): Fields =>
  isModern(revision)
    ? {
        [META_PROTOCOL_VERSION]: revision,
        [META_CLIENT_INFO]: CLIENT,
        [META_CLIENT_CAPABILITIES]: capabilities,
      }
    : {};

/** What a message costs beside its characters: a flood of short ones fills the memory, too. */
const WEIGHT_OF_MESSAGE = 10_000;
/** In characters: more than this comes only from a server that says things without end. */
const MOST_WEIGHT = 256 * 2 ** 20;

const NOTHING = "Nothing of the kind was heard";

/** The half of a client's end that is the same over every transport: it hears, and answers what it is asked. */
export abstract class Hearing {
  /** Every message in order; the members of a batch one by one. */
  readonly heard: Message[] = [];
  /** How long any wait lasts at most. */
  protected readonly timeoutMs: number;
  readonly #answers = new Map<string, AnswerQuestion>();
  readonly #untaken = new Set<Message>();
  readonly #waiting = new Set<() => void>();
  #closed: string | undefined;
  #weight = 0;

  constructor(timeoutMs: number = PATIENCE_MS) {
    this.timeoutMs = timeoutMs;
  }

  abstract say(message: Message): void;
  abstract send(method: string, params?: Fields, options?: RequestOptions): unknown;

  request(method: string, params: Fields = {}, options: RequestOptions = {}): Promise<Message> {
    return this.hear(this.answersTo(this.send(method, params, options))).catch((error: unknown) => {
      const { message } = error as Error;
      throw new Error(message.replace(NOTHING, `No answer to ${method} was heard`), { cause: error });
    });
  }

  /** Takes the oldest message not yet taken that fits; rejects when it does not come in time. */
  async hear(fits: Predicate = () => true, timeoutMs: number = this.timeoutMs): Promise<Message> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      for (const message of this.#untaken) {
        if (!fits(message)) continue;
        this.#untaken.delete(message);
        return message;
      }
      if (this.#closed !== undefined) throw new Error(this.#closed);
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`${NOTHING} in ${timeoutMs} ms`);
      await this.#news(left);
    }
  }

  async quiet(ms: number): Promise<readonly Message[]> {
    const before = this.heard.length;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.heard.slice(before);
  }

  /** From now on answers the server's requests of this method; a handler that throws answers with an error. */
  answer(method: string, handler: AnswerQuestion): void {
    this.#answers.set(method, handler);
  }

  /** Nothing more is waited for: whatever waits fails with these words. The first count. */
  giveUp(why: string): void {
    this.#closed ??= why;
    this.#wake();
  }

  protected answersTo(id: unknown): Predicate {
    return isAnswerTo(id);
  }

  /** Counts what came in; false once that is more than anybody has to say. */
  protected weigh(characters: number): boolean {
    this.#weight += characters + WEIGHT_OF_MESSAGE;
    if (this.#weight <= MOST_WEIGHT) return true;
    this.giveUp(`The server says things without end, so it was not heard any longer`);
    return false;
  }

  protected receive(message: Message): void {
    this.heard.push(message);
    this.deliver(message);
    const handler = message.method === undefined ? undefined : this.#answers.get(message.method);
    if (handler && isRequest(message)) void this.#reply(message, handler);
  }

  /** To whoever waits for it. */
  protected deliver(message: Message): void {
    this.#untaken.add(message);
    this.#wake();
  }

  async #reply({ id, params = {} }: Message, handler: AnswerQuestion): Promise<void> {
    try {
      this.say({ jsonrpc: "2.0", id, result: await handler(params) });
    } catch (error) {
      this.say({ jsonrpc: "2.0", id, error: { code: -32603, message: String(error) } });
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #news(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
