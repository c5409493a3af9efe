import type { CallToolResult } from "@suite/core";
import { connectInMemory } from "@suite/core/testing";
import { createServer, defaultContract, type ToolDefinition } from "@suite/server-kit";
import { Boundary } from "../../src/boundary.ts";
import type { FilesystemState } from "../../src/state.ts";
import type { Scratch } from "../domain/writing/scratch.ts";

export type CallTool = (args: object) => Promise<CallToolResult>;

/** One tool of a server that has no other, over the scratch directory. */
export async function connectTool(
  tool: ToolDefinition<FilesystemState>,
  scratch: Scratch,
): Promise<CallTool> {
  const { root, guard, journal } = scratch;
  const boundary = new Boundary({ directories: [root], roots: "ignore", createGuard: () => guard });
  // What changing does not use is left out.
  const state = { boundary, changes: journal } as FilesystemState;
  const server = createServer({ name: "changing", version: "1", state, tools: [tool] }, defaultContract);
  const client = await connectInMemory(server);
  return (args) => client.callTool(tool.name, args);
}
