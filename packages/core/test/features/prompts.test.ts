import { describe, expect, it } from "vitest";
import { createServer, definePrompt, ProtocolError, type Server } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { REVISIONS } from "../revisions.ts";

const createPrompts = (): Server =>
  createServer({
    name: "prompts",
    version: "1",
    prompts: [
      definePrompt({
        name: "greet",
        description: "Says hello",
        arguments: { who: { required: true, description: "whom" }, how: {} },
        render: ({ who, how }) => `${how ?? "Hello"}, ${who}`,
      }),
      definePrompt({
        name: "dialogue",
        description: "Of the prompt",
        render: async () => [
          { role: "user" as const, content: { type: "text" as const, text: "Knock" } },
          { role: "assistant" as const, content: { type: "text" as const, text: "Who?" } },
        ],
      }),
      definePrompt({
        name: "whole",
        description: "Of the prompt",
        render: () => ({ description: "Of the answer", messages: [], _meta: { "x.y/z": 1 } }),
      }),
      definePrompt({
        name: "refusing",
        render() {
          throw new ProtocolError(-32001, "Not today", { until: "tomorrow" });
        },
      }),
    ],
  });

describe.each(REVISIONS)("prompts/get in %s", (revision) => {
  const get = async (name: unknown, args?: unknown): Promise<unknown> => {
    const line = await openLine(createPrompts(), { revision });
    return line.request("prompts/get", { name, ...(args !== undefined && { arguments: args }) });
  };

  it("makes one message of a string", async () => {
    expect(await get("greet", { who: "Ada" })).toMatchObject({
      result: {
        description: "Says hello",
        messages: [{ role: "user", content: { type: "text", text: "Hello, Ada" } }],
      },
    });
  });

  it("takes messages as they are", async () => {
    expect(await get("dialogue")).toMatchObject({
      result: { description: "Of the prompt", messages: [{ role: "user" }, { role: "assistant" }] },
    });
  });

  it("takes a whole result as it is", async () => {
    const answer = await get("whole", null);
    expect(answer).toMatchObject({
      result: { description: "Of the answer", messages: [], _meta: { "x.y/z": 1 } },
    });
  });

  it.each([
    ["an unknown prompt", "nope", {}, "Unknown prompt: nope"],
    ["a name that is no text", 7, {}, "name must be a string"],
    ["a missing argument", "greet", {}, "who: is required"],
    ["an unknown argument", "greet", { who: "Ada", constructor: "x" }, "constructor: unknown argument"],
    ["an argument that is no text", "greet", { who: 7 }, "who: expected a string"],
    ["arguments that are a list", "greet", [], "arguments must be an object"],
  ])("refuses %s with -32602", async (_what, name, args, text) => {
    const answer = await get(name, args);
    expect(answer).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(text) as string },
    });
  });

  it("lets a prompt refuse in its own words", async () => {
    const error = { code: -32001, message: "Not today", data: { until: "tomorrow" } };
    expect(await get("refusing")).toMatchObject({ error });
  });
});

describe("prompts/list", () => {
  it("describes the arguments", async () => {
    const line = await openLine(createPrompts(), { revision: "2025-06-18" });
    const answer = await line.request("prompts/list");
    expect(answer).toMatchObject({
      result: {
        prompts: [
          {
            name: "greet",
            description: "Says hello",
            arguments: [{ name: "who", required: true, description: "whom" }, { name: "how" }],
          },
          { name: "dialogue" },
          { name: "whole" },
          { name: "refusing" },
        ],
      },
    });
  });
});
