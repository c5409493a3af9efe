/** For writing servers: definitions of tools, the contract with agents that is derived from them, and types of the core. */
export { ClientRoots, type ClientRootsOptions } from "./serving/client-roots/client-roots.ts";
export type { RootsPolicy } from "./serving/client-roots/roots-option.ts";
export { timeLeftIn } from "./serving/contract/call-context.ts";
export { consentIn, questionAbout } from "./serving/contract/confirmation.ts";
export { createServer, type ServerConfig } from "./serving/contract/create-server.ts";
export type { EnvironmentCheck, Finding } from "./serving/contract/environment.ts";
export type { SelectableTool } from "./serving/contract/selection.ts";
export { defaultContract, type ContractSettings } from "./serving/contract/settings.ts";
export {
  defineFor,
  type Definers,
  type Note,
  type TextPart,
  type ToolConfig,
  type ToolContext,
  type ToolDefinition,
} from "./serving/contract/tool.ts";
export { describeTools, type DescribedTool } from "./serving/contract/tool-list.ts";
export { untrusted, type Untrusted } from "./domain/text/fence.ts";
export {
  Reply,
  type Completer,
  type CompletionInput,
  type Completions,
  type ContentBlock,
  type Context,
  type EmbeddedResource,
  type MaybePromise,
  type PromptBody,
  type PromptDefinition,
  type PromptMessage,
  type Resource,
  type ResourceBody,
  type ResourceContents,
  type ResourceDefinition,
  type ResourcePage,
  type ResourceTemplateDefinition,
  type Server,
  type Watch,
} from "@suite/core";
