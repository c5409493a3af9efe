import type { FromWorker, ToWorker } from "../protocol.ts";

/** The line to the parent, as the program gives it. */
export interface Channel {
  /** Resolves when the messages have left the process: a kill cannot unsay them any more. */
  send(messages: readonly FromWorker[]): Promise<void>;
  onMessage(listener: (message: ToWorker) => void): void;
}

/** Lets a task and its caller stream to each other, one step at a time. */
export class TaskStream {
  readonly #channel: Channel;
  readonly #id: number;
  #acknowledge: (() => void) | undefined;
  #give: ((result: IteratorResult<unknown>) => void) | undefined;

  constructor(channel: Channel, id: number) {
    this.#channel = channel;
    this.#id = id;
  }

  async emit(chunk: unknown): Promise<void> {
    const acknowledged = new Promise<void>((resolve) => {
      this.#acknowledge = resolve;
    });
    await this.#channel.send([{ id: this.#id, chunk }]);
    await acknowledged;
  }

  readonly input: AsyncIterable<unknown> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const given = new Promise<IteratorResult<unknown>>((resolve) => {
          this.#give = resolve;
        });
        await this.#channel.send([{ id: this.#id, pull: true }]);
        return given;
      },
    }),
  };

  acknowledge(): void {
    this.#acknowledge?.();
  }

  give(value: unknown, isEnd: boolean): void {
    this.#give?.(isEnd ? { done: true, value: undefined } : { done: false, value });
  }
}
