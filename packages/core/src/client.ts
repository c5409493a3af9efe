/** A client for servers of any revision, over any transport. */
import { connect, type Client } from "./client/client.ts";
import type { ConnectOptions } from "./client/options.ts";
import { ChildTransport, type ChildOptions } from "./transport/child.ts";
import { FetchTransport } from "./transport/http/fetch-transport.ts";
import type { FetchTransportOptions } from "./transport/http/http-calls.ts";

export { Client, connect } from "./client/client.ts";
export type { ClientHandlers } from "./client/handlers.ts";
export type { Agreement } from "./client/opening.ts";
export type { CallOptions, ConnectOptions } from "./client/options.ts";
export type { Subscription } from "./client/subscriptions.ts";
export { TimeoutError } from "./jsonrpc/pending.ts";
export type { ListKind } from "./model/capabilities.ts";
export { ChildTransport, type ChildOptions } from "./transport/child.ts";
export type { ClientAuthorization } from "./transport/http/client-authorization.ts";
export { FetchTransport } from "./transport/http/fetch-transport.ts";
export type { FetchTransportOptions } from "./transport/http/http-calls.ts";
export type { TemplateValues } from "./uri-template/expand.ts";
export { parseUriTemplate, type UriTemplate } from "./uri-template/uri-template.ts";

/** Starts a stdio server and connects to it. Closing the client ends the process. */
export const spawnServer = (command: string, options: ChildOptions & ConnectOptions = {}): Promise<Client> =>
  connect(new ChildTransport(command, options), options);

/** Connects to a server over Streamable HTTP. */
export const connectHttp = (
  url: string | URL,
  options: FetchTransportOptions & ConnectOptions = {},
): Promise<Client> => connect(new FetchTransport(url, options), options);
