import type { FromWorker, ToWorker } from "../protocol.ts";

/** The line to the parent, as the program gives it. */
export interface Channel {
  /** Resolves when the messages have left the process: a kill cannot unsay them any more. */
  send(messages: readonly FromWorker[]): Promise<void>;
  onMessage(listener: (message: ToWorker) => void): void;
}
