import type { FromChild, ToChild } from "../protocol.ts";

/** The line to the parent, as the program gives it. */
export interface Channel {
  /** Resolves when the messages have left the process: a kill cannot unsay them any more. */
  send(messages: readonly FromChild[]): Promise<void>;
  onMessage(listener: (message: ToChild) => void): void;
}
