import { methodNotFound } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { Catalog } from "../features/catalog.ts";
import type { Context } from "../features/context.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { compose, type Call, type Middleware, type Next, type Result } from "./call.ts";
import { METHODS, toMethod, type Method, type Services } from "./methods.ts";

/** From a method's name to the feature that answers it, through the middleware. */
export class Dispatcher {
  readonly #catalog: Catalog;
  readonly #middleware: readonly Middleware[];
  readonly #run: Next;

  constructor(catalog: Catalog, middleware: readonly Middleware[], services: Services) {
    this.#catalog = catalog;
    this.#middleware = middleware;
    this.#run = compose(middleware, (call) => {
      const method = METHODS[call.method] ?? this.#find(call.method);
      if (method === undefined) throw methodNotFound(call.method);
      return method.run(call, catalog, services);
    });
  }

  dispatch(method: string, params: Params, context: Context): MaybePromise<Result> {
    const found = this.#find(method);
    if (found === undefined) throw methodNotFound(method);
    // Spelled out: a spread would be the slowest part of a small call.
    const { name, arguments: args, target } = found.prepare(this.#catalog, params);
    return this.#run({ method, params, name, arguments: args, target, context });
  }

  /** Runs what the session itself answers (subscriptions, log levels) through the same middleware. */
  around(method: string, params: Params, context: Context, answer: Next): MaybePromise<Result> {
    const name = typeof params["uri"] === "string" ? params["uri"] : undefined;
    const call: Call = { method, params, context, name, arguments: undefined, target: undefined };
    return this.#middleware.length === 0 ? answer(call) : compose(this.#middleware, answer)(call);
  }

  #find(method: string): Method | undefined {
    if (Object.hasOwn(METHODS, method)) return this.#offers(method) ? METHODS[method] : undefined;
    const extension = this.#catalog.extensionMethod(method);
    return extension && toMethod(extension);
  }

  /** The methods of a group that the server does not offer do not exist. */
  #offers(method: string): boolean {
    const { tools, resources, prompts } = this.#catalog;
    if (method === "resources/directory/read") return this.#catalog.hasDirectories();
    if (method.startsWith("tools/")) return tools !== undefined;
    if (method.startsWith("resources/")) return resources !== undefined;
    if (method.startsWith("prompts/")) return prompts !== undefined;
    return this.#catalog.hasCompletions();
  }
}
