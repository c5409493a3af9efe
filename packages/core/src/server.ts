import type { Middleware } from "./dispatch/call.ts";
import { Dispatcher } from "./dispatch/dispatcher.ts";
import { Catalog } from "./features/catalog.ts";
import { checkKeys, type KeysOf } from "./features/check-definition.ts";
import type { Notify } from "./features/context.ts";
import type { Extensions } from "./features/extension.ts";
import { createLog, type Log } from "./features/logging.ts";
import { PromptEntry, type PromptDefinition } from "./features/prompt.ts";
import {
  HINT_KEYS,
  ResourceEntry,
  TemplateEntry,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
} from "./features/resource.ts";
import { TokenBuckets } from "./timing/token-bucket.ts";
import { ToolEntry, type ToolDefinition } from "./features/tool.ts";
import { SubscriptionHub } from "./features/subscription-hub.ts";
import { type Caching, DEFAULT_CACHING } from "./model/caching.ts";
import type { ListKind } from "./model/capabilities.ts";
import type { CacheHint, Implementation } from "./model/entities.ts";
import { pick } from "./values/pick.ts";
import { Endpoint } from "./revision/endpoint.ts";
import { SUPPORTED_VERSIONS } from "./revision/revisions.ts";
import type { Change } from "./connection/changes.ts";
import type { Connection } from "./connection/connection.ts";
import {
  DEFAULT_CONNECTION_LIMITS,
  type ServerRuntime,
  type ConnectionLimits,
} from "./connection/server-runtime.ts";
import { RequestStateSeal } from "./connection/request-state.ts";
import { DEFAULT_TASK_LIMITS, Tasks, type TaskLimits } from "./connection/tasks.ts";
import type { ReplicaPort } from "./replicas.ts";

interface ServerFacts<State> extends Implementation {
  /** Tells the model how to use this server. */
  readonly instructions?: string;
  readonly tools?: readonly ToolDefinition<State>[];
  readonly resources?: readonly ResourceDefinition<State>[];
  readonly templates?: readonly ResourceTemplateDefinition<State>[];
  readonly prompts?: readonly PromptDefinition<State>[];
  /** By their ids, such as `io.modelcontextprotocol/skills`. */
  readonly extensions?: Extensions<State>;
  /** Around every call; the first is the outermost. */
  readonly middleware?: readonly Middleware[];
  /**
   * Whether the schemas of `tools` are converted to JSON Schema at once, so that one that cannot be is refused here (the
   * default). False saves some milliseconds at start-up, for servers whose build or tests list their tools.
   */
  readonly convertsSchemas?: boolean;
  /** How many entries one page of a list has. */
  readonly pageSize?: number;
  readonly caching?: { readonly [Kind in keyof Caching]?: Partial<CacheHint> };
  readonly limits?: Partial<ConnectionLimits>;
  /** For tools that become tasks. */
  readonly tasks?: Partial<TaskLimits>;
  /** Shared by processes that must continue each other's multi-round-trip requests. */
  readonly requestStateSecret?: Uint8Array;
  /** This process, if several serve the same clients (`@suite/replicas`). Closed with the server. */
  readonly replica?: ReplicaPort;
  /** Removes secrets from log messages, and from errors that were not written for clients. */
  readonly redact?: (data: unknown) => unknown;
  /** Receives failures that were not written for clients to read. */
  readonly onError?: (thrown: unknown) => void;
  /** Frees what the state holds, once, when the server is disposed. */
  readonly dispose?: (state: State) => void | Promise<void>;
}

/** `state` may be left out only when nothing the server offers needs one. */
export type ServerConfig<State> = ServerFacts<State> &
  (unknown extends State ? { readonly state?: State } : { readonly state: State });

const KEYS: KeysOf<ServerConfig<unknown>> = {
  name: "required",
  version: "required",
  title: "optional",
  description: "optional",
  websiteUrl: "optional",
  icons: "optional",
  instructions: "optional",
  state: "optional",
  tools: "optional",
  resources: "optional",
  templates: "optional",
  prompts: "optional",
  extensions: "optional",
  middleware: "optional",
  convertsSchemas: "optional",
  pageSize: "limit",
  caching: "optional",
  limits: "optional",
  tasks: "optional",
  requestStateSecret: "optional",
  replica: "optional",
  redact: "optional",
  onError: "optional",
  dispose: "optional",
};

const INFO = ["name", "version", "title", "description", "websiteUrl"] as const;
const CACHING_KEYS: KeysOf<Caching> = { lists: "optional", reads: "optional" };
const LIMIT_KEYS: KeysOf<ConnectionLimits> = {
  requestsInFlight: "limit",
  subscriptions: "limit",
  batch: "limit",
};
/** Of completions for each caller: more than a person who is typing needs (completion#security). */
const COMPLETIONS = { burst: 200, perSecond: 100 };
const TASK_KEYS: KeysOf<TaskLimits> = { ttlMs: "limit", pollIntervalMs: "limit", most: "limit" };

function withDefaults<Options extends object>(
  what: string,
  defaults: Options,
  known: KeysOf<Partial<Options>>,
  given: Partial<Options> = {},
): Options {
  checkKeys(what, given, known);
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}

function toCaching(given: ServerConfig<unknown>["caching"] = {}): Caching {
  checkKeys("caching", given, CACHING_KEYS);
  return {
    lists: withDefaults("caching.lists", DEFAULT_CACHING.lists, HINT_KEYS, given.lists),
    reads: withDefaults("caching.reads", DEFAULT_CACHING.reads, HINT_KEYS, given.reads),
  };
}

/**
 * A server: what it offers, and the connections it has. It is bound to no transport and may serve any number of them at
 * once. What is added or removed while it runs is announced to all clients that support it.
 */
export class Server<State = unknown> {
  readonly runtime: ServerRuntime;
  /** Messages about no request in particular, to clients of the legacy era. */
  readonly log: Log;
  readonly notify: Notify;
  readonly replica: ReplicaPort | undefined;
  readonly #endpoints = new Set<Endpoint>();
  readonly #changed = new Set<ListKind>();
  readonly #dispose: (() => void | Promise<void>) | undefined;

  constructor(config: ServerConfig<State>) {
    checkKeys("The server", config as ServerConfig<unknown>, KEYS);
    const { name, icons, state, dispose } = config;
    let isFilled = false;
    const catalog = new Catalog(config, (kind) => isFilled && this.listChanged(kind));
    isFilled = true;
    const caching = toCaching(config.caching);
    const redact = config.redact ?? ((data: unknown): unknown => data);
    const report = quietly(config.onError);
    const replica = (this.replica = config.replica);
    const emit = (change: Change): void => this.#each(({ connection }) => connection.emit(change));
    const connections = (): Iterable<Connection> => this.#connections();
    const changes = replica?.createChanges({ emit, report, catalog, connections }) ?? { announce: emit };
    const tasks = withDefaults("tasks", DEFAULT_TASK_LIMITS, TASK_KEYS, config.tasks);
    this.notify = createNotify(this);
    this.log = createLog((entry) => this.#each((endpoint) => endpoint.connection.logUnprompted(entry)));
    this.runtime = {
      info: { ...pick<Implementation, (typeof INFO)[number]>(config, INFO), ...(icons && { icons }) },
      instructions: config.instructions,
      catalog,
      dispatcher: new Dispatcher(catalog, config.middleware ?? [], { caching, report, redact }),
      hub: new SubscriptionHub(catalog, state, (uri) => this.resourceUpdated(uri), report),
      tasks: replica?.createTasks(tasks) ?? new Tasks(tasks, changes),
      changes,
      questionPrefix: replica && `${replica.id}-`,
      notify: this.notify,
      state,
      caching,
      supportedVersions: SUPPORTED_VERSIONS,
      seal: new RequestStateSeal(name, config.requestStateSecret),
      completions: new TokenBuckets(COMPLETIONS),
      limits: withDefaults("limits", DEFAULT_CONNECTION_LIMITS, LIMIT_KEYS, config.limits),
      redact,
      report,
    };
    this.#dispose = dispose && (() => dispose(state as State));
  }

  /** Offers one more tool; clients are told. The server must have been created with `tools`, if only an empty list. */
  addTool(tool: ToolDefinition<State>): void {
    this.#group("tools").add(tool.name, new ToolEntry(tool));
  }

  /** Whether there was such a tool. Calls that already run are finished. */
  removeTool(name: string): boolean {
    return this.#group("tools").remove(name);
  }

  /** Offers one more resource; clients are told. The server must have been created with `resources` or `templates`. */
  addResource(resource: ResourceDefinition<State>): void {
    this.#group("resources").add(resource.uri, new ResourceEntry(resource));
  }

  /** Whether there was such a resource. */
  removeResource(uri: string): boolean {
    return this.#group("resources").remove(uri);
  }

  /** Offers one more template; clients are told. The server must have been created with `resources` or `templates`. */
  addTemplate(template: ResourceTemplateDefinition<State>): void {
    const entry = new TemplateEntry(template);
    this.#group("templates").add(template.uriTemplate, entry);
  }

  /** Whether there was such a template. */
  removeTemplate(uriTemplate: string): boolean {
    return this.#group("templates").remove(uriTemplate);
  }

  /** Offers one more prompt; clients are told. The server must have been created with `prompts`. */
  addPrompt(prompt: PromptDefinition<State>): void {
    this.#group("prompts").add(prompt.name, new PromptEntry(prompt));
  }

  /** Whether there was such a prompt. */
  removePrompt(name: string): boolean {
    return this.#group("prompts").remove(name);
  }

  /** Tells the clients that have subscribed to this URI that its content has changed. */
  resourceUpdated(uri: string): void {
    this.runtime.changes.announce({ kind: "resource", uri });
  }

  /** Several changes in one turn are one notification. */
  listChanged(kind: ListKind): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.#flushChanges());
    this.#changed.add(kind);
  }

  /** A new connection. Transports call this, once per client. */
  open(): Endpoint {
    const endpoint = new Endpoint(this.runtime);
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  /** Ends one connection: its requests are aborted with this reason. */
  close(endpoint: Endpoint, reason: Error): void {
    if (this.#endpoints.delete(endpoint)) endpoint.connection.close(reason);
  }

  /** Ends every connection and task, then calls `dispose` of the configuration. Call it once. */
  async dispose(): Promise<void> {
    const reason = new Error("The server is shutting down");
    for (const endpoint of this.#endpoints) this.close(endpoint, reason);
    this.runtime.tasks.close();
    await this.#dispose?.();
    await this.replica?.close();
  }

  /** Capabilities are fixed once a client has seen them, so a group cannot be added to a running server. */
  #group<Name extends "tools" | "resources" | "templates" | "prompts">(
    name: Name,
  ): NonNullable<Catalog[Name]> {
    const group = this.runtime.catalog[name];
    if (group) return group;
    throw new Error(`This server was created without ${name}: create it with ${name}: [] to add some later`);
  }

  #flushChanges(): void {
    const kinds = [...this.#changed];
    this.#changed.clear();
    for (const list of kinds) this.runtime.changes.announce({ kind: "list", list });
  }

  *#connections(): Iterable<Connection> {
    for (const { connection } of this.#endpoints) yield connection;
  }

  #each(visit: (endpoint: Endpoint) => void): void {
    for (const endpoint of this.#endpoints) visit(endpoint);
  }
}

/** State is inferred from the config, never from where the server is used. */
export const createServer = <State = unknown>(config: ServerConfig<State>): Server<NoInfer<State>> =>
  new Server(config);

/** Errors thrown by the listener itself are ignored. */
const quietly =
  (listener: ((thrown: unknown) => void) | undefined) =>
  (thrown: unknown): void => {
    try {
      listener?.(thrown);
    } catch {
      // Nothing is left to report it to.
    }
  };

const createNotify = (server: Pick<Server, "listChanged" | "resourceUpdated">): Notify => ({
  resourceUpdated: (uri) => server.resourceUpdated(uri),
  resourceListChanged: () => server.listChanged("resources"),
  toolListChanged: () => server.listChanged("tools"),
  promptListChanged: () => server.listChanged("prompts"),
});
