import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import { verify } from "./verify.ts";

const request = (id: unknown, method: string, params: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const notification = (method: string): object => ({ jsonrpc: "2.0", method });

verify("base/batch-answered", "each request of a batch gets one response", async ({ open }) => {
  const wire = await open();
  const before = wire.heard.length;
  wire.say([
    request("slow", "tools/call", { name: "slow", arguments: { ms: 50 } }),
    request("fast", "ping"),
    notification("notifications/unknown"),
    request("unknown", "nobody/knows"),
    request("wrong", "tools/call", {}),
    5,
  ]);
  await wire.hear(({ id }) => id === "slow");
  await wire.request("ping");
  const answers = wire.heard.slice(before, -1);
  expect(answers.map(({ id }) => String(id)).toSorted()).toEqual([
    "fast",
    "slow",
    "undefined",
    "unknown",
    "wrong",
  ]);
  expect(answers.find(({ id }) => id === "fast")).toEqual({ jsonrpc: "2.0", id: "fast", result: {} });
  expect(answers.find(({ id }) => id === "slow")).toHaveProperty("result.content");
  expect(answers.find(({ id }) => id === "unknown")).toMatchObject({ error: { code: -32601 } });
  expect(answers.find(({ id }) => id === "wrong")).toMatchObject({ error: { code: -32602 } });
  expect(answers.find(({ id }) => id === undefined)).toMatchObject({ error: { code: -32600 } });
});

verify(
  "base/batch-of-notifications-unanswered",
  "notifications alone get nothing at all",
  async ({ open }) => {
    const wire = await open({ server: NOTES });
    const lines = wire.rawLines.length;
    wire.say([notification("notifications/unknown"), notification("notifications/roots/list_changed")]);
    wire.say([{ jsonrpc: "2.0", id: 99, result: {} }, notification("notifications/initialized")]);
    await wire.request("ping");
    expect(wire.rawLines).toHaveLength(lines + 1);
  },
);

verify("base/batch-empty-invalid", "an empty batch is one error", async ({ open }) => {
  const wire = await open({ server: NOTES });
  const before = wire.rawLines.length;
  wire.say([]);
  await wire.request("ping");
  const [line, ...others] = wire.rawLines.slice(before, -1).map((text) => JSON.parse(text) as unknown);
  expect(line).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
  expect(line).not.toHaveProperty("id");
  expect(others).toEqual([]);
});

verify(
  "base/batch-with-initialize-refused",
  "initialize in a batch opens nothing",
  async ({ open, revision }) => {
    const wire = await open({ server: NOTES, bare: true });
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "a", version: "1" } };
    wire.say([request("batched", "initialize", params)]);
    wire.say([request("batched", "initialize", params), request("list", "tools/list")]);
    const answer = await wire.request("tools/list");
    expect(answer).toHaveProperty("error");
    expect(wire.heard.filter(({ result }) => result !== undefined)).toEqual([]);
    expect(await wire.request("initialize", params)).toMatchObject({ result: { protocolVersion: revision } });
    // Nor does it open a second one.
    wire.say([request("again", "initialize", params)]);
    expect(await wire.hear(({ id }) => id === "again")).toMatchObject({ error: { code: -32600 } });
  },
);
