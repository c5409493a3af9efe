import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server as NodeHttpServer } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

import { serveHttp, type HttpOptions, type HttpServing } from "../../../src/serve-http.ts";
import { createServer, type ServerConfig } from "../../../src/server.ts";
import type { Authorizer } from "../../../src/transport/http/authorization.ts";

/** Everybody is who they say. */
export const credulous: Authorizer = {
  authorize: async (exchange) => ({ principal: exchange.header("authorization") ?? "", scopes: ["admin"] }),
  refuseScope: () => ({ status: 403, headers: {}, message: "no" }),
  serve: () => false,
};

export async function serve(
  options: HttpOptions,
  config: Partial<ServerConfig<unknown>> = {},
): Promise<HttpServing> {
  const server = createServer({ name: "t", version: "1", ...config });
  const serving = await serveHttp(server, options);
  onTestFinished(() => serving.close(0));
  return serving;
}

/** The status. The answer is read whole: otherwise its connection would stay open for good. */
export async function ask(url: string | URL, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.text();
  return response.status;
}

export const look = (url: string): Promise<number> => ask(new URL("/healthz", url));

/** Of node:http. */
export async function listenerAt(url: string): Promise<NodeHttpServer | undefined> {
  let listener: NodeHttpServer | undefined;
  const note = (message: unknown): void => void (listener = (message as { server: NodeHttpServer }).server);
  subscribe("http.server.request.start", note);
  await look(url);
  unsubscribe("http.server.request.start", note);
  return listener;
}

export const countConnections = (listener: NodeHttpServer | undefined): Promise<number> =>
  new Promise((resolve) => listener?.getConnections((_error, open) => resolve(open)));

/** A connection of a client that never hangs up itself. */
export function connectTo(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  return socket.on("error", () => undefined);
}
