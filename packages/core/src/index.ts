/** Everything a server is written with. Nothing here needs Node: see `@suite/core/node` for standard streams. */
export { createServer, Server, type ServerConfig } from "./server.ts";
export { serve, type ServedConnection, type ServeOptions } from "./serve.ts";
export { defineTool, type Effects, type ToolConfig, type ToolDefinition } from "./features/tool.ts";
export {
  defineResource,
  defineResourceTemplate,
  type ResourceBody,
  type ResourceDefinition,
  type ResourcePage,
  type ResourceTemplateConfig,
  type ResourceTemplateDefinition,
  type Watch,
} from "./features/resource.ts";
export type { ExtensionDefinition, ExtensionMethod, Extensions } from "./features/extension.ts";
export { paginate, readCursor } from "./features/pagination.ts";
export {
  definePrompt,
  type PromptBody,
  type PromptConfig,
  type PromptDefinition,
} from "./features/prompt.ts";
export {
  checkFunction,
  checkKeys,
  checkList,
  checkSchema,
  type KeysOf,
} from "./features/check-definition.ts";
export type { Completer, CompletionInput, Completions } from "./features/completer.ts";
export type { AskOptions, Context, FormAnswer, Notify, UrlAnswer } from "./features/context.ts";
export type { Log, LogEntry } from "./features/logging.ts";
export { Interruption, InvalidAnswer } from "./features/asking.ts";
export { Reply, ToolError, type ReplyParts } from "./features/reply.ts";
export { Serialized } from "./jsonrpc/to-json.ts";
export type { Call, Middleware, Next, Result, Target } from "./dispatch/call.ts";
export type { Transport, TransportReceiver } from "./transport/transport.ts";
export { SUPPORTED_VERSIONS } from "./revision/revisions.ts";
export * from "./jsonrpc/error.ts";
export type * from "./jsonrpc/message.ts";
export type * from "./model/asking.ts";
export type * from "./model/capabilities.ts";
export type * from "./model/content.ts";
export type * from "./model/entities.ts";
export { FAILURE, STRUCTURED_IS_NOT_OBJECT } from "./model/entities.ts";
export { isOfTheProtocol, requireMatch } from "./features/tools.ts";
export type { LoggingLevel } from "./model/logging.ts";
export type { MaybePromise } from "./values/maybe-promise.ts";
export { StopSource, type StopSignal } from "./timing/stop-signal.ts";
export { compileSchema, type CompiledSchema } from "./schema/compile.ts";
export type { InputOf, OutputOf, Schema } from "./schema/infer.ts";
export type { StandardSchema } from "./schema/standard-schema.ts";
export { FairMemory } from "./connection/fair-memory.ts";
export type { ReplicaPort } from "./replicas.ts";
