import { Inbox } from "./inbox.ts";
import type { AnswerQuestion, RequestOptions } from "./any-wire.ts";
import { type Fields, isAnswerTo, isRequest, type Message, type Predicate } from "./message.ts";
import { PATIENCE_MS } from "./patience.ts";

/** The half of a client's end that is the same over every transport: it hears, and answers what it is asked. */
export abstract class Hearing {
  /** Every message in order; the members of a batch one by one. */
  readonly heard: Message[] = [];
  protected readonly inbox: Inbox = new Inbox();
  /** How long any wait lasts at most. */
  protected readonly timeoutMs: number;
  readonly #answers = new Map<string, AnswerQuestion>();

  constructor(timeoutMs: number = PATIENCE_MS) {
    this.timeoutMs = timeoutMs;
  }

  abstract say(message: Message): void;
  abstract send(method: string, params?: Fields, options?: RequestOptions): unknown;

  request(method: string, params: Fields = {}, options: RequestOptions = {}): Promise<Message> {
    return this.hear(this.answersTo(this.send(method, params, options)));
  }

  hear(fits: Predicate = () => true, timeoutMs: number = this.timeoutMs): Promise<Message> {
    return this.inbox.take(fits, timeoutMs);
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

  protected answersTo(id: unknown): Predicate {
    return isAnswerTo(id);
  }

  protected receive(message: Message): void {
    this.heard.push(message);
    this.inbox.add(message);
    const handler = message.method === undefined ? undefined : this.#answers.get(message.method);
    if (handler && isRequest(message)) void this.#reply(message, handler);
  }

  async #reply({ id, params = {} }: Message, handler: AnswerQuestion): Promise<void> {
    try {
      this.say({ jsonrpc: "2.0", id, result: await handler(params) });
    } catch (error) {
      this.say({ jsonrpc: "2.0", id, error: { code: -32603, message: String(error) } });
    }
  }
}
