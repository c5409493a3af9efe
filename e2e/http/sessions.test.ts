import { callHttp, HttpWire, isOf, isRequest, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { holdClock, serve } from "./serving.ts";
import { verify } from "./verify.ts";

const UPDATED = "notifications/resources/updated";
const LOGGED = "notifications/message";
const IDLE_MS = 60_000;

verify(
  ["http/session-id-visible-ascii", "http/session-id-secure"],
  "gives every session an id of its own, long, random and of visible characters",
  async ({ open }) => {
    const ids = new Set<string>();
    for (let count = 0; count < 20; count += 1) ids.add((await open()).sessionId ?? "");
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{32,}$/);
    const random = [...ids].map((id) => id.replaceAll(/[^0-9a-f]/g, ""));
    for (let at = 0; at < 12; at += 1) expect(new Set(random.map((id) => id[at])).size).toBeGreaterThan(1);
  },
);

verify(["http/session-id-required-400"], "answers what has no session with 400", async ({ open, served }) => {
  const wire = await open();
  const without = { "mcp-session-id": undefined };
  const requests = [
    wire.send("tools/list", {}, { headers: without }),
    wire.say({ jsonrpc: "2.0", method: "notifications/initialized" }, without),
    wire.get(undefined, without),
    callHttp(served.url, { method: "DELETE" }),
  ];
  for (const answer of await Promise.all(requests)) expect(answer.status).toBe(400);
});

verify(
  ["http/session-ended-404"],
  "knows a session no more once it was deleted, and never knew a made-up one",
  async ({ open }) => {
    const wire = await open();
    const stream = await wire.get();
    expect((await wire.delete()).status).toBe(204);
    expect(await stream.ended).toBe(true);
    for (const id of [wire.sessionId, "made-up", "../../etc", "__proto__"]) {
      const headers = { "mcp-session-id": id };
      expect((await wire.send("tools/list", {}, { headers })).status).toBe(404);
      expect((await wire.say({ jsonrpc: "2.0", method: "notifications/x" }, headers)).status).toBe(404);
      expect((await wire.get(undefined, headers)).status).toBe(404);
    }
    expect((await wire.delete()).status).toBe(404);
  },
);

verify(
  ["http/session-ended-404"],
  "forgets a session that nobody uses",
  async ({ open, served }) => {
    const letPass = holdClock();
    const idle = await open();
    const busy = await open();
    const listening = await open();
    await listening.get();
    const slow = busy.callTool("slow", { ms: 200, label: "busy" });
    await expect.poll(() => served.state.ran).toContain("busy");
    letPass(2 * IDLE_MS);
    expect((await idle.send("ping")).status).toBe(404);
    expect((await listening.send("ping")).status).toBe(200);
    expect(textOf(await slow)).toBe("waited 200 ms");
  },
  { serving: { sessionIdleMs: IDLE_MS } },
);

verify(
  ["http/session-ended-404"],
  "forgets a session whose client was gone before its answer began",
  async ({ open, served }) => {
    const letPass = holdClock();
    const wire = await open();
    const controller = new AbortController();
    const params = { name: "late", arguments: {} };
    const version = wire.revision === "2025-03-26" ? {} : { "mcp-protocol-version": wire.revision };
    const sent = fetch(served.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": wire.sessionId ?? "",
        ...version,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      signal: controller.signal,
    });
    await expect.poll(() => served.state.ran).toContain("late");
    controller.abort();
    await expect(sent.then((response) => response.text())).rejects.toThrow("aborted");
    // Longer than the tool takes.
    await new Promise((resolve) => setTimeout(resolve, 400));
    letPass(2 * IDLE_MS);
    expect((await wire.send("ping")).status).toBe(404);
  },
  { serving: { sessionIdleMs: IDLE_MS } },
);

describe("the number of sessions", () => {
  it("is limited: the oldest idle one makes room, and one in use never does", async () => {
    const served = await serve({ mostSessions: 2 });
    const [first, second] = [
      await HttpWire.open(served.url, "2025-11-25"),
      await HttpWire.open(served.url, "2025-11-25"),
    ];
    await first.get();
    const third = await HttpWire.open(served.url, "2025-11-25");
    expect((await second.send("ping")).status).toBe(404);
    expect((await first.send("ping")).status).toBe(200);
    await third.get();
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const fourth = await third.send("initialize", params, { headers: { "mcp-session-id": undefined } });
    expect(fourth.status).toBe(503);
    expect(fourth.headers["mcp-session-id"]).toBeUndefined();
  });

  it("does not grow with handshakes that fail", async () => {
    const served = await serve({ mostSessions: 1 });
    const wire = await HttpWire.open(served.url, "2025-11-25");
    await wire.get();
    for (let count = 0; count < 3; count += 1) {
      const failed = await callHttp(served.url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "*/*" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }),
      });
      expect(failed.status).toBe(503);
    }
    await wire.delete();
    const bad = await wire.send("initialize", {}, { headers: { "mcp-session-id": undefined } });
    expect((await bad.answer()).error?.code).toBe(-32602);
    expect(await HttpWire.open(served.url, "2025-11-25")).toBeInstanceOf(HttpWire);
  });
});

describe("sessions of one server", () => {
  it("share nothing: subscriptions, log levels, roots and questions are each one's own", async () => {
    const served = await serve();
    const capabilities = { roots: {} };
    const one = await HttpWire.open(served.url, "2025-11-25", capabilities);
    const two = await HttpWire.open(served.url, "2025-11-25", capabilities);
    const [ofOne, ofTwo] = [await one.get(), await two.get()];
    await one.request("resources/subscribe", { uri: "demo:///counter" });
    await one.request("logging/setLevel", { level: "emergency" });
    await two.callTool("count");
    await two.callTool("log_unprompted");
    await ofOne.hear(isOf(UPDATED));
    await ofTwo.hear(isOf(LOGGED));
    expect(ofTwo.messages.map(({ method }) => method)).toEqual([LOGGED]);
    expect(ofOne.messages.map(({ method }) => method)).toEqual([UPDATED]);
    const stream = await one.sendTool("list_roots");
    const { id } = await stream.hear(isRequest);
    // Somebody else's answer is no answer.
    await two.say({ jsonrpc: "2.0", id, result: { roots: [{ uri: "file:///stolen" }] } });
    await one.say({ jsonrpc: "2.0", id, result: { roots: [{ uri: "file:///own" }] } });
    const text = textOf(await stream.answer());
    expect(text).toContain("file:///own");
    expect(text).not.toContain("stolen");
  });

  it("cannot cancel each other's requests", async () => {
    const served = await serve();
    const one = await HttpWire.open(served.url, "2025-11-25");
    const two = await HttpWire.open(served.url, "2025-11-25");
    const slow = one.callTool("slow", { ms: 150 }, { id: "same" });
    await two.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "same" } });
    expect(textOf(await slow)).toBe("waited 150 ms");
  });

  it("take several requests at once", async () => {
    const served = await serve();
    const wire = await HttpWire.open(served.url, "2025-11-25");
    const names = ["a", "b", "c"];
    for (const label of names) void wire.sendTool("slow", { ms: 600_000, label }).catch(() => undefined);
    await expect.poll(() => served.state.ran.toSorted()).toEqual(names);
  });

  it("cancel on request, and say no more about it", async () => {
    const served = await serve();
    const wire = await HttpWire.open(served.url, "2025-11-25");
    const slow = wire.sendTool("slow", { ms: 20_000, label: "cancelled" }, { id: "it" });
    await expect.poll(() => served.state.ran).toContain("cancelled");
    await wire.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "it" } });
    const answer = await slow;
    expect(await answer.ended).toBe(true);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(answer.text).toBe("");
    expect(served.state.aborted).toEqual(["cancelled"]);
  });

  it("are opened by initialize alone, one at a time", async () => {
    const served = await serve();
    const wire = await HttpWire.open(served.url, "2025-03-26");
    const params = {
      protocolVersion: "2025-03-26",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const again = await wire.send("initialize", params);
    expect(again.headers["mcp-session-id"]).not.toBe(wire.sessionId);
    const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
    const batched = await wire.say([message]);
    expect((await batched.answer()).error?.code).toBe(-32600);
  });
});
