import { ClientRoots, createServer, defaultContract, type ToolDefinition } from "@suite/server-kit";
import { type CallToolResult, connectInMemory } from "@suite/server-kit/testing";
import type { FilesystemState } from "../../src/state.ts";
import type { Scratch } from "../domain/writing/scratch.ts";

export type CallTool = (args: object) => Promise<CallToolResult>;

/** One tool of a server that has no other, over the scratch directory. */
export async function connectTool(
  tool: ToolDefinition<FilesystemState>,
  scratch: Scratch,
): Promise<CallTool> {
  const { root, guard, journal } = scratch;
  const roots = new ClientRoots({
    directories: [root],
    policy: "ignore",
    http: undefined,
    createGuard: () => guard,
    hint: "",
  });
  // What changing does not use is left out.
  const state = { roots, changes: journal } as FilesystemState;
  const server = createServer({ name: "changing", version: "1", state, tools: [tool] }, defaultContract);
  const client = await connectInMemory(server);
  return (args) => client.callTool(tool.name, args);
}
