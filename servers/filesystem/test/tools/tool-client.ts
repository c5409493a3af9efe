import { ClientRoots, createServer, defaultContract, type ToolDefinition } from "@suite/server-kit";
import type { PathGuard } from "@suite/server-kit/domain";
import { type CallToolResult, connectInMemory } from "@suite/server-kit/testing";
import type { ChangeJournal } from "../../src/domain/writing/changes/journal.ts";
import type { FilesystemState } from "../../src/state.ts";

export type CallTool = (args: object) => Promise<CallToolResult>;

/** One tool of a server that has no other, over the scratch directory. */
export async function connectTool(
  tool: ToolDefinition<FilesystemState>,
  { root, guard, journal: changes }: { root: string; guard: PathGuard; journal?: ChangeJournal },
): Promise<CallTool> {
  const roots = new ClientRoots({
    directories: [root],
    policy: "ignore",
    http: undefined,
    createGuard: () => guard,
    hint: "",
  });
  // What the tool does not use is left out.
  const state = { roots, changes } as FilesystemState;
  const server = createServer({ name: "one-tool", version: "1", state, tools: [tool] }, defaultContract);
  const client = await connectInMemory(server);
  return (args) => client.callTool(tool.name, args);
}

/** The text that a model reads. */
export function textOf({ content }: CallToolResult): string {
  const [first] = content;
  if (first?.type !== "text") throw new Error("The result does not begin with text");
  return first.text;
}

export const errorOf = ({ _meta }: CallToolResult): unknown => _meta?.["dev.suite/error"];
