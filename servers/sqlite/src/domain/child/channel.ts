import type { FromChild, ToChild } from "../engine/protocol.ts";

/** The line to the parent, as the program gives it. */
export interface Channel {
  /** Resolves when the message has left the process: a kill cannot unsay it any more. */
  send(message: FromChild): Promise<void>;
  onMessage(listener: (message: ToChild) => void): void;
}
