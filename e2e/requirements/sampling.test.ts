import { satisfies } from "@suite/check";
import {
  callTool,
  CAPABLE,
  converseWithTool,
  type Fields,
  isModern,
  type ServerQuestion,
  textOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { journalOf } from "../support/calls.ts";
import { verify } from "./verify.ts";

const CREATE = "sampling/createMessage";

interface Message {
  readonly role: string;
  readonly content: Fields | readonly Fields[];
}

const messagesOf = ({ params }: ServerQuestion): readonly Message[] => params["messages"] as Message[];
const blocksOf = ({ content }: Message): readonly Fields[] => [content].flat();

const text = (said: string): Fields => ({
  role: "assistant",
  model: "m",
  content: { type: "text", text: said },
});
const use = (id: string, a: number, b: number): Fields => ({
  type: "tool_use",
  id,
  name: "add",
  input: { a, b },
});
const uses = (...content: readonly Fields[]): Fields => ({
  role: "assistant",
  model: "m",
  stopReason: "toolUse",
  content,
});

/** A model that uses tools twice, the second time two of them at once, and then speaks. */
function modelWithTools(): (params: Fields) => Fields {
  return ({ messages }) => {
    const { length } = messages as readonly Message[];
    if (length === 1) return uses(use("1", 2, 3));
    return length === 3 ? uses(use("2", 5, 5), use("3", 6, 6)) : text("It is 5.");
  };
}

verify("sampling/message-shape", "sends messages with a role and content", async ({ open }) => {
  const wire = await open({ capabilities: CAPABLE });
  const { asked, response } = await converseWithTool(
    wire,
    "sample_text",
    { [CREATE]: () => text("hi") },
    { prompt: "Hello?" },
  );
  expect(textOf(response)).toBe("m: hi");
  expect(asked).toHaveLength(1);
  expect(asked.flatMap(messagesOf)).toEqual([
    { role: "user", content: { type: "text", text: "Be brief" } },
    { role: "assistant", content: { type: "text", text: "Yes" } },
    { role: "user", content: { type: "text", text: "Hello?" } },
  ]);
  expect(asked[0]?.params).toMatchObject({
    maxTokens: 100,
    systemPrompt: "You are terse.",
    stopSequences: ["END"],
  });
});

verify(
  "sampling/tools-need-capability",
  "offers tools only to a client that can use them",
  async ({ open, revision }) => {
    for (const sampling of [{}, { context: {} }]) {
      const wire = await open({ capabilities: { sampling } });
      const { asked, response } = await converseWithTool(wire, "sample_with_tools", {
        [CREATE]: () => text("hi"),
      });
      expect(asked).toEqual([]);
      if (isModern(revision)) expect(response.error?.code).toBe(-32021);
      else expect(response.result).toMatchObject({ isError: true });
    }
    const wire = await open({ capabilities: { sampling: { tools: {} } } });
    const { asked } = await converseWithTool(wire, "sample_with_tools", { [CREATE]: () => text("hi") });
    expect(asked[0]?.params).toMatchObject({ tools: [{ name: "add" }], toolChoice: { mode: "auto" } });
  },
);

verify(
  "sampling/no-context-inclusion",
  "asks for context only where the client offers it",
  async ({ open }) => {
    for (const [sampling, includeContext] of [
      [{}, undefined],
      [{ context: {} }, "thisServer"],
    ] as const) {
      const wire = await open({ capabilities: { sampling } });
      const { asked } = await converseWithTool(wire, "sample_with_context", { [CREATE]: () => text("hi") });
      expect(asked.map(({ params }) => params["includeContext"])).toEqual([includeContext]);
    }
  },
);

const UNBALANCED = ["unanswered", "half_answered", "left_open", "mixed", "unasked"];

verify(
  ["sampling/tool-results-alone", "sampling/tool-use-balanced", "sampling/tool-result-conforms"],
  "answers each use of a tool at once, with results alone",
  async ({ open }) => {
    const wire = await open({ capabilities: CAPABLE });
    const { asked, response } = await converseWithTool(wire, "sample_with_tools", {
      [CREATE]: modelWithTools(),
    });
    expect(textOf(response)).toBe("It is 5.");
    const messages = messagesOf(asked.at(-1) as ServerQuestion);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    const [tool] = (asked[0]?.params["tools"] ?? []) as { readonly outputSchema: Fields }[];
    for (const [at, wanted] of [
      [2, ["1"]],
      [4, ["2", "3"]],
    ] as const) {
      const results = blocksOf(messages[at] as Message);
      expect(results.map(({ type }) => type)).toEqual(wanted.map(() => "tool_result"));
      expect(results.map(({ toolUseId }) => toolUseId)).toEqual(wanted);
      for (const { structuredContent } of results)
        expect(satisfies(tool?.outputSchema ?? {}, structuredContent)).toBe(true);
    }
    for (const how of UNBALANCED) {
      const refused = await converseWithTool(
        wire,
        "sample_unbalanced",
        { [CREATE]: () => text("hi") },
        { how },
      );
      expect(refused.asked, how).toEqual([]);
      expect(refused.response.result, how).toMatchObject({ isError: true });
    }
  },
);

verify("sampling/tool-loop-bounded", "stops a model that never stops", async ({ open }) => {
  const wire = await open({ capabilities: CAPABLE });
  const { asked, response } = await converseWithTool(wire, "sample_with_tools", {
    [CREATE]: ({ messages }) => uses(use(`use-${(messages as unknown[]).length}`, 1, 1)),
  });
  expect(asked).toHaveLength(4);
  expect(response.result).toMatchObject({ isError: true });
  expect(textOf(response)).toContain("after 4 rounds");
});

verify(
  "sampling/result-validated",
  "keeps a malformed answer of the client from the tool",
  async ({ open, revision }) => {
    const wire = await open({ capabilities: CAPABLE });
    const malformed: Fields[] = [
      {},
      { role: "assistant", model: "m" },
      { role: "assistant", content: { type: "text", text: "x" } },
      { role: "system", model: "m", content: { type: "text", text: "x" } },
      { role: "assistant", model: 5, content: { type: "text", text: "x" } },
      { role: "assistant", model: "m", content: "x" },
      { role: "assistant", model: "m", content: { type: "text" } },
      { role: "assistant", model: "m", content: { type: "image", data: 5 } },
      { role: "assistant", model: "m", content: [{ type: "text", text: "x" }, null] },
      { role: "assistant", model: "m", content: { type: "unheard", text: "x" } },
    ];
    for (const answer of malformed) {
      const { response, interim } = await converseWithTool(
        wire,
        "sample_text",
        { [CREATE]: () => answer },
        { prompt: "x" },
      );
      // In rounds the question comes again and again; this client gives up.
      if (isModern(revision)) expect(interim.length, JSON.stringify(answer)).toBeGreaterThan(10);
      else expect(response.result, JSON.stringify(answer)).toMatchObject({ isError: true });
    }
    expect((await journalOf(wire)).ran).toEqual([]);
    expect(textOf(await callTool(wire, "no_arguments"))).toBe("done");
  },
);
