import type { JSONRPCMessage, RequestId } from "../jsonrpc/message.ts";
import type { ProtocolError } from "../jsonrpc/error.ts";
import type { Tool } from "../model/entities.ts";

/** Something that carries JSON-RPC messages between two peers. */
export interface Transport {
  /** Begins to deliver. Called once. */
  start(receiver: TransportReceiver): void;
  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void;
  /** Gets the listed tools, and returns those that can be called over this transport. */
  admitTools?(tools: readonly Tool[]): readonly Tool[];
  /** Resolves when everything sent before has been written, or cannot be. */
  close(): Promise<void>;
}

/** What a transport delivers to. */
export interface TransportReceiver {
  /** One JSON value, not yet checked. */
  message(value: unknown): void;
  /** Bytes that are not a JSON value. */
  unreadable(error: ProtocolError): void;
  /** The peer is gone; called once, with the reason where the transport knows one. */
  closed(reason?: Error): void;
  /** A request waits for something that takes as long as it takes, such as a person who logs in; or no longer does. */
  held?(id: RequestId, isHeld: boolean): void;
  /** A request could not be sent, or its answer cannot come. */
  failed?(id: RequestId, reason: Error): void;
  /** The server had lost the session and a new one was opened: log level and subscriptions must be set again. */
  renewed?(): void;
}
