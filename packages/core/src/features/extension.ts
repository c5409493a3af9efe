import type { Params } from "../jsonrpc/message.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import type { Context } from "./context.ts";

/** What a server offers beyond the protocol, under an id such as `io.modelcontextprotocol/skills`. */
export interface ExtensionDefinition<in State = unknown> {
  /** Sent to clients as they are. */
  readonly settings?: Params;
  /** Its requests, by name. The revisions that have them name them, too. */
  readonly methods?: { readonly [method: string]: ExtensionMethod<State> };
}

export type ExtensionMethod<in State = unknown> = (
  params: Params,
  context: Context<State>,
) => MaybePromise<Params>;

export interface Extensions<in State = unknown> {
  readonly [id: string]: ExtensionDefinition<State>;
}
