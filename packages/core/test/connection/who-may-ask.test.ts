import { describe, expect, it } from "vitest";
import { toListCursor } from "../../src/features/pagination.ts";
import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type Context,
  type Server,
} from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { resultOf } from "../transcript.ts";
import { accept, askName, MODERN_CAPABILITIES as capabilities } from "./asking.ts";

describe("who may ask", () => {
  const ask = (context: Context): Promise<string> => askName(context, "user");
  const tool = defineTool({
    name: "t",
    description: "…",
    run: (_input, context) => ask(context),
  });
  const server = (): Server =>
    createServer({
      name: "s",
      version: "1",
      tools: [tool],
      prompts: [
        definePrompt({
          name: "p",
          arguments: { a: { complete: async (_input, context) => [await ask(context)] } },
          render: (_args, context) => ask(context),
        }),
      ],
      resources: [defineResource({ uri: "a://b", name: "r", read: ask })],
      templates: [
        defineResourceTemplate({
          uriTemplate: "l://{x}",
          name: "l",
          read: () => "",
          list: async (context) => ({ resources: [{ uri: await ask(context), name: "x" }] }),
        }),
      ],
    });

  it.each<[string, Params]>([
    ["tools/call", { name: "t" }],
    ["prompts/get", { name: "p" }],
    ["resources/read", { uri: "a://b" }],
  ])("includes %s", async (method, params) => {
    const line = await openLine(server(), { revision: MODERN, capabilities });
    const { requestState } = resultOf(await line.request(method, params));
    const inputResponses = { user: accept({ name: "Ada" }) };
    const result = resultOf(await line.request(method, { ...params, requestState, inputResponses }));
    expect(JSON.stringify(result)).toContain("Ada");
  });

  it.each<[string, Params]>([
    ["completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }],
    ["resources/list", { cursor: toListCursor("resources/list", { position: 1, name: "" }) }],
  ])("does not include %s", async (method, params) => {
    const line = await openLine(server(), { revision: MODERN, capabilities });
    expect(await line.request(method, params)).toMatchObject({ error: { code: -32603 } });
  });

  it("needs a client that has said it can answer", async () => {
    const line = await openLine(server(), { revision: MODERN, capabilities: { roots: {} } });
    const response = await line.request("tools/call", { name: "t" });
    expect(response).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    });
  });
});
