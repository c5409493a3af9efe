import type { IncomingMessage, Server as NodeHttpServer } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

import { invalidRequest, parseError, ProtocolError, toErrorObject } from "../../jsonrpc/error.ts";
import { isObject, isRequestId, type JSONRPCMessage } from "../../jsonrpc/message.ts";
import { toJson } from "../../jsonrpc/to-json.ts";
import { parseMessage } from "../../jsonrpc/parse-json.ts";
import type { MaybePromise } from "../../values/maybe-promise.ts";
import type { Caller } from "./authorization.ts";
import { isRequest } from "./body-kinds.ts";
import { type Headers, type HttpStream, MOST_UNREAD } from "./exchange.ts";
import type { HttpHandler } from "./handler.ts";
import type { HttpServable } from "./http-servable.ts";
import { NodeRequest } from "./node-request.ts";
import type { RateLimited } from "./refusals.ts";
import type { RequestTurns } from "./request-turns.ts";

const SUBPROTOCOL = "mcp";
/** While more bytes than this are buffered for the peer, its pings get no pongs. */
const MOST_PONGS = 64 * 1024;

const GOING_AWAY = 1001;
const LEAVE_MS = 300;

/** A custom transport: one JSON-RPC message per text frame, one connection to the server per socket. */
export async function acceptWebSockets(
  http: NodeHttpServer,
  server: HttpServable,
  handler: HttpHandler,
  { largestMessage, turns }: { readonly largestMessage: number; readonly turns: RequestTurns },
): Promise<void> {
  const { WebSocketServer } = await loadWs();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: largestMessage,
    // Pongs would pile up for a peer that does not read them.
    autoPong: false,
    handleProtocols: () => SUBPROTOCOL,
  });
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const arriving: HttpStream = { write: () => true, unread: 0, end: () => void socket.destroy() };
    handler.streams.add(arriving);
    const admitted = await admit(handler, request).finally(() => handler.streams.delete(arriving));
    if ("status" in admitted) {
      // A peer that never closes would keep the socket open.
      socket.end(toRefusal(admitted.status, admitted.headers), () => socket.destroy());
      return;
    }
    if (socket.destroyed) return admitted.reservation.release();
    socket.once("close", () => admitted.reservation.release());
    const accept = (socketOfClient: WebSocket): void =>
      connect(socketOfClient, server, handler, admitted.caller);
    sockets.handleUpgrade(request, socket, head, accept);
  };
  http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (turns.isBusy(socket)) return void socket.destroy();
    if (request.headers.upgrade?.toLowerCase() !== "websocket") return decline(http, request, socket, head);
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head).catch(() => socket.destroy());
  });
}

/**
 * An offer of any other protocol is ignored (RFC 9110, section 7.8). As there is a listener for upgrades, node:http detaches
 * every connection that offers one; the request is fed back to it without the Upgrade header.
 */
function decline(http: NodeHttpServer, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method = "GET", url = "/", httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  http.emit("connection", socket);
}

async function loadWs(): Promise<typeof import("ws")> {
  try {
    return await import("ws");
  } catch (cause) {
    throw new Error("WebSockets need the package ws: npm install ws", { cause });
  }
}

function toRefusal(status: number, headers: Headers = {}): string {
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} Refused`, ...lines, "", ""].join("\r\n");
}

async function admit(
  handler: HttpHandler,
  request: IncomingMessage,
): ReturnType<HttpHandler["admitUpgrade"]> {
  const head = new NodeRequest(request);
  const offered = (head.header("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  return offered.includes(SUBPROTOCOL) ? handler.admitUpgrade(head) : { status: 400 };
}

function connect(
  socket: WebSocket,
  server: HttpServable,
  handler: HttpHandler,
  caller: Caller | undefined,
): void {
  const endpoint = server.open();
  const line = toStream(socket);
  handler.streams.busy.add(endpoint);
  handler.streams.add(line, caller?.expiresAt);
  const send = (message: JSONRPCMessage | readonly JSONRPCMessage[]): void => {
    if (isRead(socket)) socket.send(toJson(message));
  };
  // If pings arrive faster than pongs are read, not each needs an answer (RFC 6455, section 5.5.3).
  socket.on("ping", (data: Buffer) => {
    if (socket.bufferedAmount <= MOST_PONGS) socket.pong(data);
  });
  const route = { channel: { send }, ...(caller && { principal: caller.principal }) };
  const receive = (value: unknown, limited: RateLimited | undefined): void => {
    try {
      const refused = handler.refuseMessage(value, caller);
      if (refused) send(toError(value, invalidRequest(refused.message)));
      else if (limited) {
        const requests = [value].flat().filter(isRequest);
        // Without an id for messages that get no answer.
        for (const request of requests.length > 0 ? requests : [undefined]) send(toError(request, limited));
      } else endpoint.receive(value, route);
    } catch (thrown) {
      // No exception about one message may end the process.
      send(toError(value, thrown));
      server.runtime.report(thrown);
    }
  };
  const receiveAfter = async (
    earlier: Promise<void> | undefined,
    value: unknown,
    checked: MaybePromise<RateLimited | undefined>,
  ): Promise<void> => {
    const [limited] = await Promise.all([checked, earlier]);
    if (socket.readyState === socket.OPEN) receive(value, limited);
  };
  /** The last message that waits for the shared rate limit. Later messages wait for it, or they would overtake it. */
  let counting: Promise<void> | undefined;
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    const value = isBinary ? parseError("Expected a text frame") : parseMessage(data.toString("utf8"));
    if (value instanceof ProtocolError) return send(toError(undefined, value));
    const checked = handler.checkRate(value, caller);
    if (!counting && !(checked instanceof Promise)) return receive(value, checked);
    socket.pause();
    const last = (counting = receiveAfter(counting, value, checked));
    void last.then(() => {
      if (counting !== last) return undefined;
      counting = undefined;
      return socket.resume();
    });
  });
  // Every error is followed by `close`.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    handler.streams.busy.delete(endpoint);
    handler.streams.delete(line);
    server.close(endpoint, new Error("The client closed the socket"));
  });
}

/** Terminates the socket, and returns false, if the peer has left too much unread. */
function isRead(socket: WebSocket): boolean {
  if (socket.bufferedAmount <= MOST_UNREAD) return true;
  socket.terminate();
  return false;
}

/** Lets sockets be kept alive and ended together with event streams: node:http does not track upgraded sockets. */
function toStream(socket: WebSocket): HttpStream {
  return {
    write() {
      const isOpen = isRead(socket);
      if (isOpen) socket.ping();
      return isOpen;
    },
    get unread() {
      return socket.bufferedAmount;
    },
    end() {
      socket.close(GOING_AWAY);
      // The peer may never send its close frame.
      setTimeout(() => socket.terminate(), LEAVE_MS).unref();
    },
  };
}

function toError(value: unknown, error: unknown): JSONRPCMessage {
  const id = isObject(value) && isRequestId(value["id"]) ? { id: value["id"] } : {};
  return { jsonrpc: "2.0", ...id, error: toErrorObject(error) };
}
