import { definePrompt, defineResource, type Tool } from "@suite/core";
import { connectInMemory, openLine } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import type { AuditLog } from "../../../src/serving/contract/audit.ts";
import { createServer } from "../../../src/serving/contract/create-server.ts";
import { ENVIRONMENT_URI } from "../../../src/serving/contract/environment.ts";
import { defaultContract } from "../../../src/serving/contract/settings.ts";
import { defineFor } from "../../../src/serving/contract/tool.ts";
import { callOn, hidePlanted, isCalled, LAST_LEGACY, PLANTED, serverOf, textOf, toolThat } from "./sample.ts";

const tools = [
  toolThat(() => ({ said: "" }), { name: "look" }),
  toolThat(() => ({ said: "" }), { name: "add", effects: "write", annotations: { idempotentHint: true } }),
  toolThat(() => ({ said: "" }), { name: "remove", effects: "destructive", affects: "the list", version: 2 }),
];

describe("what is listed", () => {
  it("says what each tool does to the world, and the version of its contract", async () => {
    const client = await connectInMemory(serverOf(tools));
    const facts = (await client.listTools()).map(({ name, annotations, _meta }: Tool) => [
      name,
      annotations,
      _meta,
    ]);
    const metaOf = (version: number, effects: string): object => ({
      "dev.suite/schema": expect.stringMatching(new RegExp(`^${version}-[0-9a-f]{8}$`)) as string,
      "dev.suite/effects": effects,
      "dev.suite/deterministic": true,
    });
    const adding = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
    const removing = { readOnlyHint: false, destructiveHint: true };
    expect(facts).toEqual([
      ["look", { readOnlyHint: true, openWorldHint: false }, metaOf(1, "nothing")],
      ["add", { ...adding, openWorldHint: false }, metaOf(1, "nothing")],
      ["remove", { ...removing, openWorldHint: false }, metaOf(2, "the list")],
    ]);
  });

  it("has the server's own resources before the environment", async () => {
    const note = defineResource({ uri: "note://1", name: "note", read: () => "…" });
    const client = await connectInMemory(serverOf(tools, {}, { resources: [note] }));
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["note://1", ENVIRONMENT_URI]);
  });
});

it("tools, resources and prompts share one state, whose type they agree on", async () => {
  interface State {
    count: number;
  }
  const output = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } as const;
  const count = defineFor<State>().defineTool({
    name: "count",
    title: "Count",
    description: "Counts.",
    effects: "write",
    affects: "the count",
    input: { type: "object" } as const,
    output,
    targets: (_, state) => [`${state.count}`],
    run: (_, { state }) => ({ count: (state.count += 1) }),
    text: (result) => `${result.count}`,
  });
  const greet = definePrompt<{}, State>({
    name: "greet",
    description: "…",
    render: (_, { state }) => `Hello ${state.count}`,
  });
  const state: State = { count: 0 };
  const server = createServer(
    { name: "s", version: "1", state, tools: [count], prompts: [greet] },
    defaultContract,
  );
  const client = await connectInMemory(server);
  expect(await client.callTool("count")).toMatchObject({ structuredContent: { count: 1 } });
  expect(await client.getPrompt("greet")).toMatchObject({ messages: [{ content: { text: "Hello 1" } }] });
});

it("what is logged to clients has no secrets in it", async () => {
  const tool = toolThat((_, { log }) => (log.info({ header: `Bearer ${PLANTED}` }), { said: "done" }));
  const line = await openLine(serverOf([tool], { redact: hidePlanted }), { revision: LAST_LEGACY });
  expect(textOf(await callOn(line))).toBe("done");
  const message = await line.hear(isCalled("notifications/message"));
  expect(message).toMatchObject({ params: { data: { header: "Bearer [hidden]" } } });
});

it.each([
  [{ effects: "reads" }, 'effects of tool "say" must be read, write or destructive'],
  [{ text: "said" }, 'text of tool "say" must be a function'],
  [{ run: undefined }, 'tool "say" lacks run'],
  [{ destructive: true }, 'tool "say" has no member destructive'],
  [{ name: "say it" }, 'tool "say it" needs another name'],
])("a tool from JavaScript is refused for what is wrong with it: %j", (mistake, words) => {
  const tool = { ...toolThat(() => ({ said: "" })), ...mistake } as never;
  expect(() => serverOf([tool])).toThrow(words);
});

describe("the end of a server", () => {
  const logOf = (events: string[]): AuditLog => ({
    record: () => undefined,
    close: () => void events.push("audit closed"),
  });

  it("frees its state, then closes the audit log", async () => {
    const events: string[] = [];
    const dispose = async (): Promise<void> => void events.push("disposed");
    await serverOf([], { audit: logOf(events) }, { dispose }).dispose();
    expect(events).toEqual(["disposed", "audit closed"]);
  });

  it("closes the audit log even if its state cannot be freed", async () => {
    const events: string[] = [];
    const dispose = (): Promise<never> => Promise.reject(new Error("stuck"));
    await expect(serverOf([], { audit: logOf(events) }, { dispose }).dispose()).rejects.toThrow("stuck");
    expect(events).toEqual(["audit closed"]);
  });
});
