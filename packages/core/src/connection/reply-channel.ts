import type { JSONRPCMessage, RequestId } from "../jsonrpc/message.ts";

/** The way back to the peer. On stdio there is one for everything; over HTTP each request brings its own. */
export interface ReplyChannel {
  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void;
  /** The request was cancelled and will not be answered. */
  abandon?(id: RequestId): void;
  /** Closes the connection while the work continues; the client reconnects for the answer. Not every transport can. */
  detach?(): void;
  /** For a channel that the client may not have opened: resolves as soon as it has. */
  opened?(): Promise<void>;
}

/** How a message came in. */
export interface Route {
  readonly channel: ReplyChannel;
  /** Where a legacy session's unprompted messages go, if not through the channel of its `initialize`. */
  readonly unprompted?: ReplyChannel;
  /** The authenticated caller, where the transport knows one. */
  readonly principal?: string;
}
