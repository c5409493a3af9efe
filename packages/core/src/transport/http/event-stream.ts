import type { JSONRPCMessage } from "../../jsonrpc/message.ts";
import { toJson } from "../../jsonrpc/to-json.ts";
import type { Headers } from "./exchange.ts";

export const EVENT_STREAM_HEADERS: Headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  // Proxies such as nginx would otherwise hold events back (streamable-http#receiving-messages).
  "x-accel-buffering": "no",
};

export const KEEP_ALIVE = ": keep-alive\n\n";

export const toEvent = (message: JSONRPCMessage | readonly JSONRPCMessage[], id?: string): string =>
  toTextEvent(toJson(message), id);

/** JSON never has a line break in it, so one data line is enough. */
export const toTextEvent = (json: string, id?: string): string =>
  id === undefined ? `event: message\ndata: ${json}\n\n` : `event: message\nid: ${id}\ndata: ${json}\n\n`;

/** An event without data: it only tells the client where to resume, and to wait a second before that. */
export const toPrimingEvent = (id: string): string => `id: ${id}\nretry: 1000\ndata: \n\n`;
