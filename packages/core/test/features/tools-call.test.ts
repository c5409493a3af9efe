import { describe, expect, it } from "vitest";
import { createServer, defineTool, Reply, type Params, type ToolDefinition } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";

const text = (value: string): object => ({ type: "text", text: value });
const add = defineTool({ name: "add", description: "Adds", run: () => "3" });

async function call(
  tool: ToolDefinition,
  params: Params,
  onError: (thrown: unknown) => void = () => undefined,
): Promise<unknown> {
  const server = createServer({ name: "s", version: "1", tools: [tool], onError });
  const line = await openLine(server, { revision: MODERN });
  return line.request("tools/call", params);
}

describe("tools/call", () => {
  it.each([
    ["an unknown tool", { name: "nope" }, "Unknown tool: nope"],
    ["a name like a member of objects", { name: "__proto__" }, "Unknown tool: __proto__"],
    ["no name", {}, "name must be a string"],
    ["arguments that are text", { name: "add", arguments: "a=1" }, "arguments must be an object"],
  ])("refuses %s with -32602", async (_what, params, message) => {
    expect(await call(add, params)).toMatchObject({ error: { code: -32602, message } });
  });

  it.each([undefined, null, {}])("takes arguments %j for none", async (args) => {
    const tool = defineTool({ name: "t", description: "…", run: () => "ran" });
    const params = { name: "t", ...(args !== undefined && { arguments: args }) };
    expect(await call(tool, params)).toMatchObject({ result: { content: [text("ran")] } });
  });

  it("answers with an error when the result is no JSON", async () => {
    const reported: unknown[] = [];
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const tool = defineTool({
      name: "t",
      description: "…",
      run: () => new Reply({ content: "x", meta: cycle }),
    });
    const error = { code: -32603, message: "Internal error" };
    const onError = (thrown: unknown): void => void reported.push(thrown);
    expect(await call(tool, { name: "t" }, onError)).toMatchObject({ error });
    expect(reported).toHaveLength(1);
  });
});
