import {
  createServer as createHttpServer,
  type Server as NodeHttpServer,
  type ServerOptions,
} from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";

import { checkKeys, type KeysOf } from "./features/check-definition.ts";
import { pause } from "./timing/timers.ts";
import { isLoopback } from "./values/loopback.ts";
import type { Server } from "./server.ts";
import type { Authorizer } from "./transport/http/authorization.ts";
import type { CallerLimits } from "./transport/http/caller-usage.ts";
import type { HandlerLoad } from "./transport/http/capacity.ts";
import { toHostNames, toOrigin } from "./transport/http/guard.ts";
import { HttpHandler, type HandlerOptions } from "./transport/http/handler.ts";
import { NodeExchange } from "./transport/http/node-exchange.ts";
import { RequestTurns } from "./transport/http/request-turns.ts";
import { WebExchange } from "./transport/http/web-exchange.ts";

/** For `serveHttp`. Every limit has a default; `packages/core/README.md` lists them. */
export interface HttpOptions {
  /** By default 127.0.0.1. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly path?: string;
  /** Host names and addresses, without port, that requests may name besides `host` and the loopback ones. */
  readonly allowedHosts?: readonly string[];
  /** Web origins that may call from a browser. */
  readonly allowedOrigins?: readonly string[];
  readonly authorizer?: Authorizer;
  /** Allows addresses other than loopback without an authorizer, although anybody could then call. */
  readonly insecureNoAuth?: boolean;
  readonly largestBody?: number;
  readonly sessionIdleMs?: number;
  readonly mostSessions?: number;
  /** How many requests, old event streams and WebSockets there may be at once, all together. */
  readonly mostRequests?: number;
  readonly perCaller?: CallerLimits;
  /** How many requests each person may send in a minute, across all clients and replicas. */
  readonly requestsPerMinute?: number;
  /** How often something is sent on a silent stream, so that it is not taken for dead. */
  readonly keepAliveMs?: number;
  /** How long a client may take to send the headers of a request. */
  readonly headersTimeoutMs?: number;
  /** Serves the transport of 2024-11-05 too, at /sse and /messages. */
  readonly sse?: boolean;
  /** Accepts WebSocket connections with the subprotocol `mcp`. */
  readonly websocket?: boolean;
}

const KEYS: KeysOf<HttpOptions> = {
  host: "optional",
  port: "count",
  path: "optional",
  allowedHosts: "optional",
  allowedOrigins: "optional",
  authorizer: "optional",
  insecureNoAuth: "optional",
  largestBody: "limit",
  sessionIdleMs: "limit",
  mostSessions: "limit",
  mostRequests: "limit",
  perCaller: "optional",
  requestsPerMinute: "limit",
  keepAliveMs: "limit",
  headersTimeoutMs: "limit",
  sse: "optional",
  websocket: "optional",
};
const CALLER_KEYS: KeysOf<CallerLimits> = {
  requests: "limit",
  streams: "limit",
  sessions: "limit",
  body: "limit",
};

/** The options that apply when another server listens. */
export type FetchOptions = Omit<
  HttpOptions,
  "host" | "port" | "websocket" | "insecureNoAuth" | "headersTimeoutMs"
>;

/** A server as one function, for runtimes that call it with a `Request`. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Refuses new requests, gives those in flight `graceMs` to finish, and ends. */
  close(graceMs?: number): Promise<void>;
}

interface HttpLoad extends HandlerLoad {
  /** Requests that wait for the previous one on their connection. */
  readonly waitingRequests: number;
}

/** A server that listens. */
export interface HttpServing {
  readonly url: string;
  readonly port: number;
  /** What the server is busy with at this moment. */
  readonly load: HttpLoad;
  /**
   * Accepts no new connections and one more request on each existing one, gives work in flight `graceMs` to finish, and ends.
   */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 1500;
const DEFAULT_HEADERS_TIMEOUT_MS = 10_000;
/** Longer than nginx in deploy/nginx.conf keeps idle connections: so nginx closes them first, and loses no request. */
const LAST_REQUEST_MS = 500;
/** How long connections that were ended have to close; WebSockets get their close frame before. */
const LEAVE_MS = 500;

/** Serves over Streamable HTTP, both eras at one endpoint. */
export async function serveHttp(server: Server<never>, options: HttpOptions = {}): Promise<HttpServing> {
  const host = options.host ?? "127.0.0.1";
  if (!isLoopback(host) && !options.authorizer && options.insecureNoAuth !== true) {
    throw new Error(
      `Refusing to listen on ${host} without authorization: set an authorizer, or insecureNoAuth`,
    );
  }
  const handlerOptions = toHandlerOptions(options, host);
  const handler = new HttpHandler(server, handlerOptions);
  const turns = new RequestTurns((request, response) =>
    handler.handle(new NodeExchange(request, response, () => http.listening)),
  );
  const http = createHttpServer(limitsOf(options), turns.take);
  if (options.websocket) {
    const { acceptWebSockets } = await import("./transport/http/websocket.ts");
    await acceptWebSockets(http, server, handler, { largestMessage: handlerOptions.largestBody, turns });
  }
  await listen(http, options.port ?? 0, host);
  // Such as too many open files: the connection is lost, but the server goes on.
  http.on("error", server.runtime.report);
  const { port } = http.address() as AddressInfo;
  const path = options.path ?? "/mcp";
  return {
    port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`,
    get load() {
      return { ...handler.load, waitingRequests: turns.count };
    },
    close: (graceMs = DEFAULT_GRACE_MS) => drain(http, handler, graceMs),
  };
}

/** The same as a function from Request to Response, for platforms that call such functions. */
export function createFetchHandler(server: Server<never>, options: FetchOptions = {}): FetchHandler {
  const handler = new HttpHandler(server, toHandlerOptions(options, "127.0.0.1"));
  let isClosed = false;
  const handle = async (request: Request): Promise<Response> => {
    if (isClosed) return new Response(null, { status: 503 });
    const exchange = new WebExchange(request);
    handler.handle(exchange);
    return exchange.response;
  };
  const close = (graceMs = DEFAULT_GRACE_MS): Promise<void> => {
    isClosed = true;
    return finish(handler, Date.now() + graceMs);
  };
  return Object.assign(handle, { close });
}

/** Cuts off slow headers and bodies (slow loris), and limits the size of headers. */
function limitsOf({ headersTimeoutMs = DEFAULT_HEADERS_TIMEOUT_MS }: HttpOptions): ServerOptions {
  return {
    maxHeaderSize: 16_384,
    headersTimeout: headersTimeoutMs,
    requestTimeout: Math.max(60_000, headersTimeoutMs),
    keepAliveTimeout: 10_000,
    // Node looks for late connections only this often, by default twice a minute.
    connectionsCheckingInterval: Math.min(headersTimeoutMs, 1000),
  };
}

function toHandlerOptions(options: HttpOptions, host: string): HandlerOptions {
  checkKeys("HttpOptions", options, KEYS);
  checkKeys("perCaller", options.perCaller ?? {}, CALLER_KEYS);
  return {
    path: options.path ?? "/mcp",
    allowedHosts: [host, ...(options.allowedHosts ?? [])].flatMap(toHostNames),
    allowedOrigins: (options.allowedOrigins ?? []).map(toOrigin),
    largestBody: options.largestBody ?? 64 * 1024 * 1024,
    authorizer: options.authorizer,
    hasOldSse: options.sse === true,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    mostRequests: options.mostRequests ?? 10_000,
    perCaller: options.perCaller ?? {},
    requestsPerMinute: options.requestsPerMinute,
    sessions: { idleMs: options.sessionIdleMs ?? 30 * 60_000, most: options.mostSessions ?? 10_000 },
  };
}

function listen(http: NodeHttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      resolve();
    });
  });
}

/**
 * A proxy that keeps connections may just be sending a request on an idle one, and must not repeat it when that is cut. So
 * each connection may bring one more request, whose answer ends it, and only those that bring none are cut.
 */
async function drain(http: NodeHttpServer, handler: HttpHandler, graceMs: number): Promise<void> {
  const deadline = Date.now() + graceMs;
  let isClosed = false;
  http.once("close", () => (isClosed = true));
  // No connection is ended before this: its client would open the next one here again.
  await takeArrived(http, Math.min(Date.now() + LAST_REQUEST_MS, deadline));
  // http.close() would cut idle connections at once.
  NetServer.prototype.close.call(http);
  await finishWork(handler, deadline);
  await until(() => isClosed, Math.min(Date.now() + LAST_REQUEST_MS, deadline));
  await finish(handler, deadline);
  // Complete answers may still be on their way: only idle connections are closed here.
  await until(() => {
    http.closeIdleConnections();
    return isClosed;
  }, deadline);
  http.close();
  http.closeAllConnections();
  await until(() => isClosed, Date.now() + LEAVE_MS);
}

/**
 * The system completes connections before the process accepts them, and resets those not yet accepted when it stops
 * listening. Node accepts one in each turn of the event loop: after two turns without one, there are none left.
 */
async function takeArrived(http: NodeHttpServer, deadline: number): Promise<void> {
  let quietTurns = 0;
  const note = (): void => void (quietTurns = 0);
  http.on("connection", note);
  while (quietTurns < 2 && Date.now() < deadline) {
    quietTurns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  http.off("connection", note);
}

/** Waits for work in flight until the deadline, and ends the rest. */
async function finish(handler: HttpHandler, deadline: number): Promise<void> {
  await finishWork(handler, deadline);
  handler.abort();
  // Answers in shared sessions are sent once they are stored.
  await until(() => handler.sessions.areIdle, Date.now() + LEAVE_MS);
  handler.close();
}

async function finishWork(handler: HttpHandler, deadline: number): Promise<void> {
  // Even if nothing is running, streams that were just ended need a moment for their last message.
  do {
    handler.drain();
    await pause(10);
  } while (!handler.isIdle && Date.now() < deadline);
}

async function until(isDone: () => boolean, deadline: number): Promise<void> {
  while (!isDone() && Date.now() < deadline) await pause(10);
}
