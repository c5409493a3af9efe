/** What servers are written with beyond the core: tools, and the contract with agents that follows from their facts. */
export { ClientRoots, type ClientRootsOptions } from "./client-roots/client-roots.ts";
export type { RootsPolicy } from "./client-roots/roots-option.ts";
export { createServer, type ServerConfig } from "./contract/create-server.ts";
export type { Check, Finding } from "./contract/environment.ts";
export { defaultContract, type ContractSettings } from "./contract/settings.ts";
export { defineTool, type TextPart, type ToolConfig, type ToolDefinition } from "./contract/tool.ts";
export { untrusted, type Untrusted } from "./text/fence.ts";
