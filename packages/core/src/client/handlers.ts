import { methodNotFound } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Root,
} from "../model/asking.ts";
import type { ClientCapabilities } from "../model/capabilities.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";

/** How a client answers questions of servers. It declares only capabilities that it has a handler for. */
export interface ClientHandlers {
  readonly roots?: readonly Root[] | (() => MaybePromise<readonly Root[]>);
  readonly sample?: (params: CreateMessageParams, signal: AbortSignal) => MaybePromise<CreateMessageResult>;
  /** Fields of a form that an accepted answer leaves out get their defaults. */
  readonly elicit?: (params: ElicitParams, signal: AbortSignal) => MaybePromise<ElicitResult>;
}

export const capabilitiesOf = ({ roots, sample, elicit }: ClientHandlers): ClientCapabilities => ({
  ...(roots && { roots: { listChanged: true } }),
  ...(sample && { sampling: { tools: {} } }),
  ...(elicit && { elicitation: { form: {}, url: {} } }),
});

/** Answers one question of the server, in either era. */
export async function answer(
  handlers: ClientHandlers,
  method: string,
  params: Params,
  signal: AbortSignal,
): Promise<object> {
  // The server's params are passed on unchecked.
  const { roots, sample, elicit } = handlers;
  if (method === "roots/list" && roots) return { roots: typeof roots === "function" ? await roots() : roots };
  if (method === "sampling/createMessage" && sample)
    return sample(params as unknown as CreateMessageParams, signal);
  if (method === "elicitation/create" && elicit) {
    return withDefaults(params, await elicit(params as unknown as ElicitParams, signal));
  }
  throw methodNotFound(method);
}

/**
 * Forms start out filled with the defaults of their schema (2025-11-25 elicitation#requested-schema). A field that is there
 * but undefined was emptied on purpose.
 */
function withDefaults({ requestedSchema }: Params, result: ElicitResult): ElicitResult {
  const properties = isObject(requestedSchema) ? requestedSchema["properties"] : undefined;
  if (result.action !== "accept" || !isObject(properties)) return result;
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isObject(field) && field["default"] !== undefined ? [[name, field["default"]]] : [],
  );
  return { ...result, content: { ...Object.fromEntries(defaults), ...result.content } };
}
