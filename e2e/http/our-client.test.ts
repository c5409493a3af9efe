import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { until } from "@suite/check/wires";
import {
  connectHttp,
  type Client,
  type ConnectOptions,
  type FetchTransportOptions,
} from "@suite/core/client";
import { describe, expect, it, onTestFinished } from "vitest";

import { serve, type Served } from "./serving.ts";

const PINS = ["2025-03-26", "2025-06-18", "2025-11-25", undefined] as const;

async function visit(
  url: string,
  revision?: string,
  options: ConnectOptions & FetchTransportOptions = {},
): Promise<Client> {
  const client = await connectHttp(url, { ...options, ...(revision !== undefined && { revision }) });
  onTestFinished(() => client.close());
  return client;
}

const textOf = (result: { content: readonly object[] }): unknown =>
  (result.content[0] as { text?: string }).text;

describe.each(PINS)("our client over HTTP, asked for %s", (pin) => {
  const revision = pin ?? "2026-07-28";
  const isModern = revision === "2026-07-28";

  it("agrees, lists, calls, reads, renders and completes", async () => {
    const served = await serve();
    const client = await visit(served.url, pin);
    expect(client.agreement).toMatchObject({ revision, era: isModern ? "modern" : "legacy" });
    expect((await client.listTools()).map(({ name }) => name)).toContain("routed");
    expect(textOf(await client.callTool("slow", { ms: 1 }))).toBe("waited 1 ms");
    expect((await client.callTool("slow", {})).isError).toBe(true);
    expect((await client.readResource("demo:///text")).contents).toMatchObject([{ text: "hello" }]);
    await expect(client.readResource("demo:///none")).rejects.toThrow(/not found/i);
    expect((await client.listPrompts()).length).toBeGreaterThan(0);
    await expect(client.callTool("nobody")).rejects.toThrow("nobody");
  });

  it("mirrors arguments, whether it has listed the tools or not", async () => {
    const served = await serve();
    const args = { region: "Zürich", shelf: -3, dry: false, where: { room: " padded " } };
    const client = await visit(served.url, pin);
    expect(textOf(await client.callTool("routed", args))).toBe(JSON.stringify(args));
    await client.listTools();
    expect(textOf(await client.callTool("routed", args))).toBe(JSON.stringify(args));
    expect((await client.callTool("routed", { region: null })).isError).toBe(true);
  });

  it("sees progress and logs", async () => {
    const served = await serve();
    const logged: unknown[] = [];
    const client = await visit(served.url, pin, { onLog: ({ level }) => logged.push(level) });
    const steps: unknown[] = [];
    await client.callTool("progress", { steps: 3 }, { onProgress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
    await client.setLogLevel("alert");
    await client.callTool("log_every_level");
    expect(logged).toEqual(["alert", "emergency"]);
  });

  it("is asked: sampling, forms and roots", async () => {
    const served = await serve();
    const client = await visit(served.url, pin, {
      roots: [{ uri: "file:///home" }],
      sample: () => ({ role: "assistant", model: "ours", content: { type: "text", text: "pong" } }),
      elicit: () => ({ action: "accept", content: { word: "yes" } }),
    });
    expect(textOf(await client.callTool("sample_text", { prompt: "ping" }))).toBe("ours: pong");
    expect(textOf(await client.callTool("list_roots"))).toContain("file:///home");
    const asked = await client.callTool("ask_twice");
    expect(asked.isError ?? textOf(asked)).toBe(revision === "2025-03-26" ? true : "yes yes");
  });

  it("hears of changes until it has had enough", async () => {
    const served = await serve();
    const client = await visit(served.url, pin);
    const heard: string[] = [];
    const resource = await client.subscribe("demo:///counter", () => heard.push("counter"));
    const tools = await client.watchList("tools", () => heard.push("tools"));
    await client.callTool("count");
    await client.callTool("add_tool");
    await until(() => heard.length === 2, "the news");
    expect(heard.toSorted()).toEqual(["counter", "tools"]);
    await Promise.all([resource.close(), tools.close()]);
    await until(() => served.state.watches.stopped === 1, "the end of the watch");
    await client.callTool("count");
    await pause(100);
    expect(heard).toHaveLength(2);
  });

  it("cancels, and gives up after a time", async () => {
    const served = await serve();
    const client = await visit(served.url, pin);
    const controller = new AbortController();
    const call = client.callTool("slow", { ms: 20_000, label: "cancelled" }, { signal: controller.signal });
    const outcome = call.catch((thrown: unknown) => thrown);
    await until(() => served.state.ran.includes("cancelled"), "the call");
    controller.abort(new Error("enough"));
    expect(await outcome).toMatchObject({ message: "enough" });
    const late = client.callTool("slow", { ms: 20_000, label: "late" }, { timeoutMs: 1000 });
    await expect(late).rejects.toThrow("not answered within 1000 ms");
    await until(() => served.state.aborted.length === 2, "the abort");
    expect(served.state.aborted).toEqual(["cancelled", "late"]);
  });

  it("closing fails the calls that wait, and ends the session on the server", async () => {
    const served = await serve({ mostSessions: 1 });
    const first = await visit(served.url, pin);
    const call = first.callTool("slow", { ms: 20_000, label: "left" }).catch((thrown: unknown) => thrown);
    await until(() => served.state.ran.includes("left"), "the call");
    await first.close();
    expect(await call).toMatchObject({ message: "The connection to the server is closed" });
    await until(() => served.state.aborted.includes("left"), "the abort");
    const second = await visit(served.url, pin);
    expect(textOf(await second.callTool("slow", { ms: 1 }))).toBe("waited 1 ms");
    await expect(first.callTool("slow", { ms: 1 })).rejects.toThrow("closed");
  });
});

describe("our client on a bad line", () => {
  it("gets the answer of a tool that let its connection go", async () => {
    const served = await serve();
    const client = await visit(served.url, "2025-11-25");
    expect(textOf(await client.callTool("detaching"))).toBe("still here");
  });

  it("starts a new session when the server has forgotten the old one, and tells it what it told the other", async () => {
    const served = await serve({ mostSessions: 2 });
    let sessionId = "";
    const spying: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      sessionId = response.headers.get("mcp-session-id") ?? sessionId;
      return response;
    };
    const logged: unknown[] = [];
    const client = await visit(served.url, "2025-11-25", {
      fetch: spying,
      onLog: ({ level }) => logged.push(level),
    });
    let changes = 0;
    await client.subscribe("demo:///counter", () => (changes += 1));
    await client.setLogLevel("emergency");
    const lost = sessionId;
    await end(served, lost);
    const texts = await Promise.all(
      [1, 2, 3].map(async (ms) => textOf(await client.callTool("slow", { ms }))),
    );
    expect(texts).toEqual(["waited 1 ms", "waited 2 ms", "waited 3 ms"]);
    expect(sessionId).not.toBe(lost);
    await until(() => served.state.watches.started === 2, "the subscription");
    await until(async () => {
      await client.callTool("count");
      return changes > 0;
    }, "the change");
    await client.callTool("log_every_level");
    expect(logged).toEqual(["emergency"]);
  });

  it.each(["2025-06-18", "2025-11-25"])(
    "finds a new session when only listening, with %s",
    async (revision) => {
      const served = await serve();
      let sessionId = "";
      const client = await visit(served.url, revision, {
        async fetch(url, init) {
          const response = await fetch(url, init);
          sessionId = response.headers.get("mcp-session-id") ?? sessionId;
          return response;
        },
      });
      let changes = 0;
      let lists = 0;
      await client.subscribe("demo:///counter", () => (changes += 1));
      await client.watchList("tools", () => (lists += 1));
      await pause(100);
      await end(served, sessionId);
      // What has changed between the two sessions, nobody knows.
      await until(() => changes === 1 && lists === 1, "the renewal");
      for (const tell of served.state.counterWatchers) tell();
      await until(() => changes > 1, "the change");
      expect(changes).toBe(2);
    },
  );

  it("says what is wrong when nobody is there, and when nobody speaks the protocol", async () => {
    const gone = await serve();
    await gone.close();
    await expect(connectHttp(gone.url)).rejects.toThrow("The server cannot be reached: ECONNREFUSED");
    for (const [status, type, body] of [
      [404, "text/html", "<h1>Nothing here</h1>"],
      [200, "text/html", "<h1>Hello</h1>"],
      [401, "application/json", '{"error":"invalid_token"}'],
      [502, "text/plain", ""],
    ] as const) {
      const url = await fake((_request, response) =>
        response.writeHead(status, { "content-type": type }).end(body),
      );
      await expect(connectHttp(url)).rejects.toThrow(`The server answered with HTTP status ${status}`);
    }
  });

  it("says so when a stream ends before its answer", async () => {
    const url = await fake((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end("data: {}\n\n: bye\n\n");
    });
    await expect(connectHttp(url)).rejects.toThrow("The stream ended before the answer came");
  });

  it("sends what it is given with every request, asked anew each time", async () => {
    const seen: (string | undefined)[] = [];
    const url = await fake((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(500).end();
    });
    let count = 0;
    const headers = (): Record<string, string> => ({ authorization: `Bearer ${(count += 1)}` });
    await expect(connectHttp(url, { headers })).rejects.toThrow("500");
    expect(seen).toEqual(["Bearer 1", "Bearer 2"]);
  });
});

/** Ends a session behind its client's back. */
async function end({ url }: Served, sessionId: string): Promise<void> {
  const { status } = await fetch(url, { method: "DELETE", headers: { "mcp-session-id": sessionId } });
  expect(status).toBe(204);
}

async function fake(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener as never).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
