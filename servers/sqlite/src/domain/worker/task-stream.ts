import type { FromWorker, ToWorker } from "../messages.ts";
import type { Chunk, Portion } from "../protocol.ts";

/** The channel to the parent process. */
export interface Channel {
  /** Resolves when the messages have left the process: a kill can no longer lose them. */
  send(messages: readonly FromWorker[]): Promise<void>;
  onMessage(listener: (message: ToWorker) => void): void;
}

/** Lets a task and its caller stream to each other, one step at a time. */
export class TaskStream {
  readonly #channel: Channel;
  readonly #id: number;
  #acknowledge: (() => void) | undefined;
  #give: ((result: IteratorResult<Portion>) => void) | undefined;

  constructor(channel: Channel, id: number) {
    this.#channel = channel;
    this.#id = id;
  }

  async emit(chunk: Chunk): Promise<void> {
    const acknowledged = new Promise<void>((resolve) => {
      this.#acknowledge = resolve;
    });
    await this.#channel.send([{ id: this.#id, chunk }]);
    await acknowledged;
  }

  readonly input: AsyncIterable<Portion> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const given = new Promise<IteratorResult<Portion>>((resolve) => {
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

  give(portion: Portion | undefined): void {
    this.#give?.(portion ? { done: false, value: portion } : { done: true, value: undefined });
  }
}
