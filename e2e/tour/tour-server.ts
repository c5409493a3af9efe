import type { Conversation } from "./conversation.ts";

export interface TourCall {
  readonly name: string;
  readonly args: object;
}

/** One stop of the tour. */
export interface TourServer {
  readonly name: string;
  readonly summary: string;
  /** Its package, which names the program in `bin`. */
  readonly packageName: string;
  /** Its command line, given the folder with the sample data. */
  readonly args: (folder: string) => readonly string[];
  /** The same for a host, where it is another: what the tour shows is not what one starts with. */
  readonly hostArgs?: (folder: string) => readonly string[];
  /** What the tour fills in when the server asks the user. */
  readonly answer: Readonly<Record<string, string | number | boolean>>;
  /** Done in every revision, on a fresh server: a call with a structured result, one that asks, a URI that leads nowhere. */
  readonly sample: TourCall;
  readonly asking: TourCall;
  readonly missing: string;
  /** Done once, in the newest revision, and told as it happens: what fits on one screen, and the rest for `--all`. */
  readonly show: (conversation: Conversation, folder: string) => Promise<void>;
  readonly more: (conversation: Conversation, folder: string) => Promise<void>;
  /** Shown only by name or with `--all`. */
  readonly isExample?: boolean;
}

/** Something that a user of the tour can understand and mend. */
export class TourFailure extends Error {
  override readonly name = "TourFailure";
}
