import { isAnswerTo, isOf, isRequest, isResponse } from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import { SIGNALS } from "../support/programs.ts";
import { verify } from "./verify.ts";

verify("ping/answered", "ping is answered at once", async ({ open }) => {
  const wire = await open();
  const slow = wire.send("tools/call", { name: "slow", arguments: { ms: 60_000 } });
  for (const id of ["a", 5])
    expect(await wire.request("ping", {}, { id })).toEqual({ jsonrpc: "2.0", id, result: {} });
  wire.say({ jsonrpc: "2.0", id: 6, method: "ping" });
  expect(await wire.hear(isAnswerTo(6))).toEqual({ jsonrpc: "2.0", id: 6, result: {} });
  expect(wire.heard.some(isAnswerTo(slow))).toBe(false);
});

verify("ping/not-excessive", "an idle line stays idle", async ({ open }) => {
  const wire = await open({ server: NOTES });
  await wire.request("tools/list");
  const idle = await wire.quiet(300);
  expect(idle.filter(isOf("ping")).length).toBeLessThanOrEqual(1);
  expect(idle.filter((message) => !isRequest(message))).toEqual([]);
});

verify(
  ["cancellation/request-stops", "cancellation/no-response", "cancellation/reason-logged"],
  "a cancelled request stops, and the reason is in the log",
  async ({ open }) => {
    const wire = await open();
    const requestId = wire.send("tools/call", { name: "until_cancelled" }, { id: "waits" });
    const other = wire.send("tools/call", { name: "slow", arguments: { ms: 300 } }, { id: "goes on" });
    await wire.request("tools/list");
    wire.notify("notifications/cancelled", { requestId, reason: "The user changed their mind" });
    await expect.poll(() => wire.stderr).toContain("cancelled: The user changed their mind");
    expect(await wire.hear(isAnswerTo(other))).toHaveProperty("result");
    expect(wire.heard.some(isAnswerTo(requestId))).toBe(false);
  },
);

verify("cancellation/unknown-id-ignored", "nothing to cancel is no error", async ({ open }) => {
  const wire = await open();
  const { id: finished } = await wire.request("tools/list", {}, { id: 70 });
  const running = wire.send("tools/call", { name: "slow", arguments: { ms: 150 } }, { id: 71 });
  const before = wire.heard.length;
  for (const requestId of [finished, 9999, "unknown", "71", "__proto__"]) {
    wire.notify("notifications/cancelled", { requestId, reason: "none" });
  }
  expect(await wire.hear(isAnswerTo(running))).toMatchObject({
    result: { content: [{ text: "waited 150 ms" }] },
  });
  expect(wire.heard.slice(before)).toHaveLength(1);
});

verify("cancellation/malformed-ignored", "a malformed cancellation is ignored", async ({ open }) => {
  const wire = await open();
  const running = wire.send("tools/call", { name: "slow", arguments: { ms: 150 } });
  const before = wire.heard.length;
  for (const params of [
    undefined,
    null,
    [],
    [running],
    "text",
    5,
    {},
    { requestId: null },
    { requestId: {} },
  ]) {
    wire.say({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }
  wire.notify("notifications/cancelled", { id: running, reason: "wrong member" });
  wire.notify("notifications/cancelled", { requestId: [running], reason: { odd: true } });
  expect(await wire.hear(isAnswerTo(running))).toHaveProperty("result");
  expect(wire.heard.slice(before)).toHaveLength(1);
  // The reason is for the log alone: one that is no text does not keep the request alive.
  const requestId = wire.send("tools/call", { name: "until_cancelled" });
  wire.notify("notifications/cancelled", { requestId, reason: { odd: true } });
  await expect.poll(() => wire.stderr).toContain("cancelled: ");
  expect(await wire.request("tools/list")).toHaveProperty("result.tools");
});

verify("cancellation/races-handled", "it does not matter who is first", async ({ open }) => {
  const wire = await open();
  const ids = Array.from({ length: 60 }, (_, index) => `race ${index}`);
  for (const [index, id] of ids.entries()) {
    // From done before the cancellation is read to cancelled long before it is done.
    wire.send("tools/call", { name: "slow", arguments: { ms: index % 6 } }, { id });
    if (index % 2 === 0) await wire.quiet(index % 5);
    wire.notify("notifications/cancelled", { requestId: id });
  }
  await wire.quiet(50);
  const answered = wire.heard.filter((message) => isResponse(message) && ids.includes(String(message.id)));
  expect(new Set(answered.map(({ id }) => id)).size).toBe(answered.length);
  expect(answered.filter(({ error }) => error)).toEqual([]);
  expect(answered.length).toBeLessThan(ids.length);
  expect(await wire.request("tools/list")).toHaveProperty("result.tools");
});

verify(
  "cancellation/own-only-in-flight",
  "the server cancels its own open questions only",
  async ({ open }) => {
    const wire = await open({ capabilities: { roots: {} } });
    const answered = wire.send("tools/call", { name: "list_roots" });
    const first = await wire.hear(isOf("roots/list"));
    wire.say({ jsonrpc: "2.0", id: first.id, result: { roots: [] } });
    await wire.hear(isAnswerTo(answered));
    const cancelled = wire.send("tools/call", { name: "list_roots" });
    const second = await wire.hear(isOf("roots/list"));
    wire.notify("notifications/cancelled", { requestId: cancelled });
    const withdrawn = { params: { requestId: second.id, reason: "no longer needed" } };
    expect(await wire.hear(isOf("notifications/cancelled"))).toMatchObject(withdrawn);
    // A request of the client that is cancelled without a question open, and one that runs when the line ends.
    wire.notify("notifications/cancelled", {
      requestId: wire.send("tools/call", { name: "until_cancelled" }),
    });
    wire.send("tools/call", { name: "until_cancelled" });
    await wire.end();
    const named = wire.heard
      .filter(isOf("notifications/cancelled"))
      .map(({ params }) => params?.["requestId"]);
    expect(named).toEqual([second.id]);
  },
);

verify(
  "cancellation/late-response-ignored",
  "an answer that comes too late changes nothing",
  async ({ open }) => {
    const wire = await open({ capabilities: { roots: {} } });
    const asking = wire.send("tools/call", { name: "impatient", arguments: { ms: 30 } });
    const question = await wire.hear(isOf("roots/list"));
    await wire.hear(isOf("notifications/cancelled"));
    expect(await wire.hear(isAnswerTo(asking))).toMatchObject({
      result: { content: [{ text: "gave up: TimeoutError" }] },
    });
    const again = wire.send("tools/call", { name: "impatient", arguments: { ms: 4000 } });
    const newer = await wire.hear(isOf("roots/list"));
    const before = wire.heard.length;
    wire.say({ jsonrpc: "2.0", id: question.id, result: { roots: [{ uri: "file:///late" }] } });
    wire.say({ jsonrpc: "2.0", id: question.id, error: { code: 1, message: "late" } });
    await wire.request("ping");
    expect(wire.heard).toHaveLength(before + 1);
    wire.say({ jsonrpc: "2.0", id: newer.id, result: { roots: [] } });
    expect(await wire.hear(isAnswerTo(again))).toMatchObject({ result: { content: [{ text: "0 roots" }] } });
  },
);

verify(
  ["cancellation/sent-on-listen-teardown", "cancellation/sent-for-listen-only"],
  "a server that goes cancels the streams it had open, and nothing else",
  async ({ open }) => {
    for (const leave of ["end", ...SIGNALS] as const) {
      const wire = await open();
      const listen = { notifications: { toolsListChanged: true } };
      const streams = ["first", 1000].map((id) => wire.send("subscriptions/listen", listen, { id }));
      const dropped = wire.send("subscriptions/listen", listen, { id: "dropped" });
      wire.notify("notifications/cancelled", { requestId: dropped });
      wire.notify("notifications/cancelled", {
        requestId: wire.send("tools/call", { name: "until_cancelled" }),
      });
      wire.send("tools/call", { name: "until_cancelled" });
      await wire.request("tools/call", { name: "add_tool" });
      await (leave === "end" ? wire.end() : wire.kill(leave));
      const named = wire.heard
        .filter(isOf("notifications/cancelled"))
        .map(({ params }) => params?.["requestId"]);
      expect(named).toEqual(streams);
    }
  },
);
