import { describe, expect, it } from "vitest";
import { createServer, defineTool, Reply } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";

const text = (value: string): object => ({ type: "text", text: value });
const add = defineTool({ name: "add", description: "Adds", run: () => "3" });

describe("tools/call", () => {
  it.each([
    ["an unknown tool", { name: "nope" }, "Unknown tool: nope"],
    ["a name like a member of objects", { name: "__proto__" }, "Unknown tool: __proto__"],
    ["no name", {}, "name must be a string"],
    ["arguments that are text", { name: "add", arguments: "a=1" }, "arguments must be an object"],
  ])("refuses %s with -32602", async (_what, params, message) => {
    const line = await openLine(createServer({ name: "s", version: "1", tools: [add] }), {
      revision: MODERN,
    });
    expect(await line.request("tools/call", params)).toMatchObject({ error: { code: -32602, message } });
  });

  it.each([undefined, null, {}])("takes arguments %j for none", async (args) => {
    const tool = defineTool({ name: "t", description: "…", run: () => "ran" });
    const line = await openLine(createServer({ name: "s", version: "1", tools: [tool] }), {
      revision: MODERN,
    });
    const params = { name: "t", ...(args !== undefined && { arguments: args }) };
    expect(await line.request("tools/call", params)).toMatchObject({ result: { content: [text("ran")] } });
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
    const server = createServer({
      name: "s",
      version: "1",
      tools: [tool],
      onError: (thrown) => reported.push(thrown),
    });
    const line = await openLine(server, { revision: MODERN });
    expect(await line.request("tools/call", { name: "t" })).toMatchObject({
      error: { code: -32603, message: "Internal error" },
    });
    expect(reported).toHaveLength(1);
  });
});
