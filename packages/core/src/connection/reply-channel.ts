import type { JSONRPCMessage, RequestId } from "../jsonrpc/message.ts";

/** The way back to the peer. On stdio there is one for everything; over HTTP each request brings its own. */
export interface ReplyChannel {
  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void;
  /** The request was cancelled and gets no answer: nobody should wait for one. */
  abandon?(id: RequestId): void;
  /** Lets the connection go while the work continues; the client comes back for the answer. Not every transport can. */
  detach?(): void;
  /** Where a client may or may not listen: resolves as soon as it does. */
  opened?(): Promise<void>;
}

/** How a message came in. */
export interface Route {
  readonly channel: ReplyChannel;
  /** Where a legacy session's unprompted messages go, if not by the way its `initialize` came. */
  readonly unprompted?: ReplyChannel;
  /** The authenticated caller, where the transport knows one. */
  readonly principal?: string;
}
