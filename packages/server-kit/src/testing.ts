/** For tests of servers: a client or a raw line in the same process, a client of the built program, and what they give. */
export * from "@suite/core/testing";
export { spawnServer, type Client } from "@suite/core/client";
export { MemoryStore, ProtocolError, type CallToolResult, type GetPromptResult } from "@suite/core";
