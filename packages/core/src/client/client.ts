import { HEADER_MISMATCH, ProtocolError } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from "../model/entities.ts";
import { type ListKind, TASKS_EXTENSION } from "../model/capabilities.ts";
import type { LoggingLevel } from "../model/logging.ts";
import type { Transport } from "../transport/transport.ts";
import { createCallbackRunner } from "./callbacks.ts";
import { capabilitiesOf } from "./handlers.ts";
import { openConnection, type Agreement, type OpeningOptions } from "./opening.ts";
import type { CallOptions, ConnectOptions } from "./options.ts";
import { ResultCache } from "./result-cache.ts";
import { type NotificationListener, Peer } from "./peer.ts";
import { Requests } from "./requests.ts";
import { LegacySubscriptions, listen, Listeners, toSubscription } from "./subscriptions.ts";
import type { Subscription } from "./subscriptions.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_LONGEST_MS = 600_000;
const DEFAULT_PROBE_MS = 5000;

/** Connects to a server over a transport, in the newest revision that both support, of either era. */
export async function connect(transport: Transport, options: ConnectOptions = {}): Promise<Client> {
  const { onLog, onNotification, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const call = createCallbackRunner(options.onError);
  const listeners = new Listeners(call);
  if (onNotification) listeners.add(onNotification);
  if (onLog) listeners.add((method, params) => method === "notifications/message" && onLog(params));
  const peer = new Peer(transport, options, (method, params) => listeners.tell(method, params));
  const opening: OpeningOptions = {
    info: { name: options.name ?? "suite-client", version: options.version ?? "0" },
    capabilities: { ...capabilitiesOf(options), ...(options.tasks && { extensions: TASKS_EXTENSION }) },
    revision: options.revision,
    timeoutMs,
    longestMs: options.longestMs ?? Math.max(timeoutMs, DEFAULT_LONGEST_MS),
    probeMs: options.probeMs ?? DEFAULT_PROBE_MS,
  };
  try {
    const agreement = await openConnection(peer, opening);
    const cache = options.caching && agreement.era === "modern" ? new ResultCache() : undefined;
    if (cache) listeners.add((method, params) => cache.hear(method, params));
    const requests = new Requests(peer, agreement, opening, options, call, cache);
    return new Client(transport, peer, listeners, agreement, requests);
  } catch (thrown) {
    await peer.close();
    throw thrown;
  }
}

/** One connection to one server. The same calls work in both eras. */
export class Client {
  readonly agreement: Agreement;
  readonly #transport: Transport;
  readonly #peer: Peer;
  readonly #listeners: Listeners;
  readonly #requests: Requests;
  readonly #legacySubscriptions: LegacySubscriptions;

  constructor(
    transport: Transport,
    peer: Peer,
    listeners: Listeners,
    agreement: Agreement,
    requests: Requests,
  ) {
    this.#transport = transport;
    this.#peer = peer;
    this.#listeners = listeners;
    this.agreement = agreement;
    this.#requests = requests;
    this.#legacySubscriptions = new LegacySubscriptions(requests, listeners, peer.closed);
    peer.onRenewed = () => void this.#renew();
  }

  /** Resolves when the server is gone or `close` was called. */
  get closed(): Promise<void> {
    return this.#peer.closed;
  }

  /** All pages. Tools that this transport cannot call are left out. */
  async listTools(options?: CallOptions): Promise<readonly Tool[]> {
    const tools = await this.#requests.list<Tool>("tools/list", "tools", options);
    return this.#transport.admitTools?.(tools) ?? tools;
  }

  /** All pages. */
  listResources(options?: CallOptions): Promise<readonly Resource[]> {
    return this.#requests.list("resources/list", "resources", options);
  }

  /** All pages. */
  listResourceTemplates(options?: CallOptions): Promise<readonly ResourceTemplate[]> {
    return this.#requests.list("resources/templates/list", "resourceTemplates", options);
  }

  /** All pages. */
  listPrompts(options?: CallOptions): Promise<readonly Prompt[]> {
    return this.#requests.list("prompts/list", "prompts", options);
  }

  /** Rejects with a `ProtocolError` if the server refuses the call. A tool that failed is a result with `isError`. */
  async callTool(name: string, args: object = {}, options?: CallOptions): Promise<CallToolResult> {
    const call = (): Promise<Params> => this.request("tools/call", { name, arguments: args }, options);
    try {
      return (await call()) as CallToolResult;
    } catch (thrown) {
      if (!(thrown instanceof ProtocolError && thrown.code === HEADER_MISMATCH)) throw thrown;
      // The tool may need other headers than when it was last listed (streamable-http#client-behavior).
      this.#requests.forget("tools/list");
      await this.listTools();
      return (await call()) as CallToolResult;
    }
  }

  /** The content of a resource: it may come in several parts. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult> {
    return this.request("resources/read", { uri }, options) as Promise<ReadResourceResult>;
  }

  /** The messages of a prompt. */
  getPrompt(name: string, args: Params = {}, options?: CallOptions): Promise<GetPromptResult> {
    const result = this.request("prompts/get", { name, arguments: args }, options);
    return result as Promise<GetPromptResult>;
  }

  /** `reference` is a prompt's name or a template's URI. */
  async complete(
    reference: { readonly prompt: string } | { readonly template: string },
    argument: { readonly name: string; readonly value: string },
    known: Readonly<Record<string, string>> = {},
    options?: CallOptions,
  ): Promise<CompleteResult["completion"]> {
    const ref =
      "prompt" in reference
        ? { type: "ref/prompt", name: reference.prompt }
        : { type: "ref/resource", uri: reference.template };
    const context = Object.keys(known).length > 0 ? { context: { arguments: known } } : {};
    const result = await this.request("completion/complete", { ref, argument, ...context }, options);
    return result["completion"] as CompleteResult["completion"];
  }

  /** Applies from now on: to the session in the legacy era, to every request in the modern one. */
  async setLogLevel(level: LoggingLevel): Promise<void> {
    this.#requests.logLevel = level;
    if (this.agreement.era === "legacy") await this.request("logging/setLevel", { level });
  }

  /** Legacy era only: the modern one has no ping. */
  async ping(options?: CallOptions): Promise<void> {
    await this.request("ping", {}, options);
  }

  /** Tells a legacy server that the roots have changed. Modern servers ask for them each time. */
  rootsChanged(): void {
    if (this.agreement.era === "legacy") this.#peer.notify("notifications/roots/list_changed");
  }

  /** Calls `changed` whenever the server says that the resource has changed. */
  async subscribe(uri: string, changed: () => void): Promise<Subscription> {
    const listener: NotificationListener = (method, params) =>
      method === "notifications/resources/updated" && params["uri"] === uri && changed();
    if (this.agreement.era === "legacy") return this.#legacySubscriptions.subscribe(uri, listener);
    const subscription = await this.#listen({ resourceSubscriptions: [uri] }, listener);
    const honoured = subscription.honoured["resourceSubscriptions"];
    if (Array.isArray(honoured) && honoured.includes(uri)) return subscription;
    await subscription.close();
    throw new Error(`The server offers no subscription to ${uri}`);
  }

  /** Calls `changed` whenever the server says that one of its lists has changed. */
  async watchList(kind: ListKind, changed: () => void): Promise<Subscription> {
    const listener: NotificationListener = (method) =>
      method === `notifications/${kind}/list_changed` && changed();
    if (this.agreement.era === "modern") return this.#listen({ [`${kind}ListChanged`]: true }, listener);
    return toSubscription(this.closed, this.#listeners.add(listener), () => Promise.resolve());
  }

  /** Sends any request of the protocol; the handlers answer questions that the server asks meanwhile. */
  request(method: string, params: Params = {}, options: CallOptions = {}): Promise<Params> {
    return this.#requests.send(method, params, options);
  }

  /** Ends the connection; requests in flight are rejected. Resolves when everything sent has been written. */
  async close(): Promise<void> {
    await this.#peer.close();
  }

  /** A new session has none of the lost one's state, and anything may have changed in between. */
  async #renew(): Promise<void> {
    const level = this.#requests.logLevel;
    if (level) await this.request("logging/setLevel", { level }).catch(() => undefined);
    await this.#legacySubscriptions.renew();
    for (const kind of ["tools", "resources", "prompts"] satisfies ListKind[])
      this.#listeners.tell(`notifications/${kind}/list_changed`, {});
  }

  #listen(
    filter: Params,
    listener: NotificationListener,
  ): Promise<Subscription & { readonly honoured: Params }> {
    const toParams = (): Params => ({ notifications: filter, _meta: this.#requests.meta() });
    return listen(this.#peer, this.#listeners, toParams, listener);
  }
}
