import { invalidParams } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import { requireTasks } from "../features/tasks.ts";
import type { ListKind } from "../model/capabilities.ts";
import { META_SUBSCRIPTION_ID } from "../model/meta.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { Change } from "./changes.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import type { TaskView } from "./tasks.ts";

const filterOf = (kind: ListKind): string => `${kind}ListChanged`;

/** One `subscriptions/listen` request: open until the client cancels it or the server ends it (modern era only). */
export class ListenStream {
  readonly #active: ActiveRequest;
  readonly #lists: ReadonlySet<ListKind>;
  readonly #uris: Set<string>;
  /** Each with the number of the latest lookup whose result was sent. */
  readonly #tasks = new Map<string, number>();
  readonly #taskIds: readonly string[];
  readonly #lookAt: ServerRuntime["tasks"];
  readonly #hub: ServerRuntime["hub"];
  readonly #report: ServerRuntime["report"];
  #end: (result: Params) => void = () => undefined;
  readonly ended: Promise<Params>;
  #looks = 0;

  constructor(active: ActiveRequest, params: Params, { catalog, hub, tasks, limits, report }: ServerRuntime) {
    const { client } = active.request;
    const { notifications: filter } = params;
    if (!isObject(filter)) throw invalidParams("notifications must be an object");
    this.#active = active;
    this.#hub = hub;
    this.#report = report;
    this.#lists = new Set(catalog.lists().filter((kind) => filter[filterOf(kind)] === true));
    const uris = readNames(filter, "resourceSubscriptions", limits.subscriptions);
    this.#uris = new Set(uris.filter((uri) => hub.canSubscribe(uri)));
    this.#taskIds = catalog.hasTasks() ? readNames(filter, "taskIds", limits.subscriptions) : [];
    if (this.#taskIds.length > 0) requireTasks(client);
    this.#lookAt = tasks;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Keeps only tasks of the caller. */
  findTasks(): MaybePromise<void> {
    const elsewhere: Promise<void>[] = [];
    for (const id of this.#taskIds) {
      const found = this.#look(id);
      const note = (task: TaskView | undefined): void => void (task && this.#tasks.set(id, 0));
      if (found instanceof Promise) elsewhere.push(found.then(note));
      else note(found);
    }
    return elsewhere.length > 0 ? Promise.all(elsewhere).then(() => undefined) : undefined;
  }

  /**
   * Starts watchers, then acknowledges and returns what is honoured. Changes in between are not announced: nothing may come
   * before the acknowledgment. Throws if nothing is left to listen to because watchers cannot be started.
   */
  open(): Params {
    this.#startWatchers();
    const lists = [...this.#lists].map((kind) => [filterOf(kind), true]);
    const uris = this.#uris.size > 0 ? [["resourceSubscriptions", [...this.#uris]]] : [];
    const tasks = this.#tasks.size > 0 ? [["taskIds", [...this.#tasks.keys()]]] : [];
    const notifications = Object.fromEntries([...lists, ...uris, ...tasks]) as Params;
    this.#send("notifications/subscriptions/acknowledged", { notifications });
    return notifications;
  }

  emit(change: Change): void {
    if (change.kind === "list" && this.#lists.has(change.list))
      this.#send(`notifications/${change.list}/list_changed`, {});
    if (change.kind === "resource" && this.#uris.has(change.uri))
      this.#send("notifications/resources/updated", { uri: change.uri });
    if (change.kind === "task") this.#taskChanged(change.id);
  }

  #taskChanged(id: string): void {
    if (!this.#tasks.has(id)) return;
    const look = (this.#looks += 1);
    const found = this.#look(id);
    const send = (task: TaskView | undefined): void => {
      // A later lookup may have finished earlier.
      if (!task || look < (this.#tasks.get(id) ?? 0)) return;
      this.#tasks.set(id, look);
      this.#send("notifications/tasks", task.detail());
    };
    // If the lookup fails, the client still polls.
    if (found instanceof Promise) found.then(send, () => undefined);
    else send(found);
  }

  /** The client is gone or has cancelled. */
  drop(): void {
    for (const uri of this.#uris) this.#hub.release(uri);
  }

  /** Completes the request, which tells the client that the stream ended on purpose (subscriptions#graceful-closure). */
  end(): void {
    this.#end({ _meta: this.#tag() });
  }

  #look(id: string): MaybePromise<TaskView | undefined> {
    return this.#lookAt.find(id, this.#active.request.route.principal);
  }

  /** A resource that cannot be watched is left out of the acknowledgment, like those that offer no subscription. */
  #startWatchers(): void {
    const failures: unknown[] = [];
    for (const uri of this.#uris) {
      try {
        this.#hub.acquire(uri);
      } catch (thrown) {
        this.#uris.delete(uri);
        failures.push(thrown);
      }
    }
    if (failures.length > 0 && this.#lists.size + this.#uris.size + this.#tasks.size === 0) throw failures[0];
    for (const thrown of failures) this.#report(thrown);
  }

  #send(method: string, params: Params): void {
    const { channel } = this.#active.request.route;
    channel.send({ jsonrpc: "2.0", method, params: { _meta: this.#tag(), ...params } });
  }

  #tag(): Params {
    return { [META_SUBSCRIPTION_ID]: this.#active.requestId };
  }
}

function readNames(filter: Params, member: string, most: number): readonly string[] {
  const { [member]: names = [] } = filter;
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    throw invalidParams(`notifications.${member} must be a list of strings`);
  }
  if (names.length > most) throw invalidParams(`At most ${most} ${member} can be listened to at once`);
  return names;
}
