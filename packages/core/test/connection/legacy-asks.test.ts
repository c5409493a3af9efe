import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Context } from "../../src/index.ts";
import type { JSONRPCRequest } from "../../src/jsonrpc/message.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY } from "../revisions.ts";
import { heardOn, isCalled, resultOf, textOf } from "../transcript.ts";
import { answer, countRoots, LEGACY_CAPABILITIES as capabilities, questions, serverOf } from "./asking.ts";

const sample = async (context: Context, timeoutMs = 5000): Promise<string> =>
  (
    await context.sample(
      { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 9 },
      { timeoutMs },
    )
  ).model;

describe.each(LEGACY)("a question in %s", (revision) => {
  it("that is answered with an error fails the tool, for the model to read", async () => {
    const line = await openLine(serverOf({ sample }), { revision, capabilities });
    const called = line.request("tools/call", { name: "sample" });
    const { id } = (await line.hear(isCalled("sampling/createMessage"))) as JSONRPCRequest;
    line.say({ jsonrpc: "2.0", id, error: { code: -1, message: "User rejected sampling request" } });
    expect(resultOf(await called)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("User rejected sampling request") as string }],
    });
  });

  it("times out, and the client is told", async () => {
    const line = await openLine(serverOf({ sample: (context) => sample(context, 30) }), {
      revision,
      capabilities,
    });
    const called = line.request("tools/call", { name: "sample" });
    const { id } = (await line.hear(isCalled("sampling/createMessage"))) as JSONRPCRequest;
    const cancelled = await line.hear(isCalled("notifications/cancelled"));
    expect(cancelled).toMatchObject({ params: { requestId: id } });
    expect(resultOf(await called)).toMatchObject({ isError: true });
    line.say({
      jsonrpc: "2.0",
      id,
      result: { role: "assistant", model: "late", content: { type: "text", text: "x" } },
    });
    expect(await line.request("ping")).toMatchObject({ result: {} });
  });

  it("is withdrawn when the request it belongs to is cancelled", async () => {
    const line = await openLine(serverOf({ sample }), { revision, capabilities });
    line.say({ jsonrpc: "2.0", id: "call", method: "tools/call", params: { name: "sample" } });
    const { id } = (await line.hear(isCalled("sampling/createMessage"))) as JSONRPCRequest;
    line.notify("notifications/cancelled", { requestId: "call" });
    expect(await line.hear(isCalled("notifications/cancelled"))).toMatchObject({ params: { requestId: id } });
    await line.request("ping");
    expect(heardOn(line).some((message) => message["id"] === "call")).toBe(false);
  });

  it("is not put to a client that has not declared it can answer", async () => {
    const line = await openLine(serverOf({ sample, countRoots }), { revision, capabilities: {} });
    for (const [name, capability] of [
      ["sample", "sampling"],
      ["countRoots", "roots"],
    ]) {
      const result = resultOf(await line.request("tools/call", { name }));
      expect(result).toMatchObject({ isError: true });
      expect(textOf(result)).toContain(capability);
    }
    expect(heardOn(line).filter((message) => "method" in message)).toEqual([]);
  });

  it("is not put to a client before it is ready", async () => {
    const line = await openLine(serverOf({ sample }));
    await line.request("initialize", {
      protocolVersion: revision,
      capabilities,
      clientInfo: { name: "c", version: "1" },
    });
    expect(resultOf(await line.request("tools/call", { name: "sample" }))).toMatchObject({ isError: true });
    expect(questions(line, "sampling/createMessage")).toEqual([]);
  });
});

describe("a form", () => {
  const schema = z.object({ ok: z.boolean() });
  const ask = async ({ elicit }: Context): Promise<string> =>
    JSON.stringify(await elicit({ message: "Sure?", schema }));

  it.each(["2025-06-18", "2025-11-25"])("is filled in by the client of %s, and checked", async (revision) => {
    const line = await openLine(serverOf({ ask }), { revision, capabilities });
    const first = line.request("tools/call", { name: "ask" });
    await answer(line, "elicitation/create", { action: "accept", content: { ok: true } });
    expect(textOf(resultOf(await first))).toBe('{"action":"accept","content":{"ok":true}}');
    const second = line.request("tools/call", { name: "ask" });
    await answer(line, "elicitation/create", { action: "accept", content: { ok: "yes" } });
    expect(resultOf(await second)).toMatchObject({ isError: true });
  });

  it.each(["2024-11-05", "2025-03-26"])(
    "is unknown to %s, whatever the client declares",
    async (revision) => {
      const line = await openLine(serverOf({ ask }), { revision, capabilities });
      expect(resultOf(await line.request("tools/call", { name: "ask" }))).toMatchObject({ isError: true });
      expect(questions(line, "elicitation/create")).toEqual([]);
    },
  );
});
