import type { Params } from "../jsonrpc/message.ts";
import type { Context } from "../features/context.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import type { PromptEntry } from "../features/prompt.ts";
import type { ResourceTarget } from "../features/resources.ts";
import type { ToolEntry } from "../features/tool.ts";

/** What a call is aimed at, found before any middleware runs. Missing when nothing has that name. */
export type Target =
  | { readonly kind: "tool"; readonly entry: ToolEntry }
  | { readonly kind: "prompt"; readonly entry: PromptEntry }
  | ResourceTarget;

/** One request on its way to a feature, as middleware sees it. */
export interface Call {
  readonly method: string;
  readonly params: Params;
  /** The tool's or prompt's name, or the resource's URI. */
  readonly name: string | undefined;
  readonly arguments: Params | undefined;
  readonly target: Target | undefined;
  readonly context: Context;
  /** For `subscriptions/listen`: called with what the client listens to once it does. The result follows when that ends. */
  readonly onListening?: (notifications: Params) => void;
}

/** A result as it is sent, before the revision of the client adapts it. */
export type Result = Params;

/** Runs the layers further in, and finally the method itself. */
export type Next = (call: Call) => MaybePromise<Result>;

/** Wraps every call: may look, change, refuse (throw), or answer itself. `next` runs the rest and gives the result. */
export type Middleware = (call: Call, next: Next) => MaybePromise<Result>;

/** The first in the list is the outermost. Composed once, so that a server without middleware pays nothing. */
export const compose = (middleware: readonly Middleware[], last: Next): Next =>
  middleware.reduceRight<Next>((next, layer) => (call) => layer(call, next), last);
