import { until } from "@suite/check/wires";
import { serve as serveHono } from "@hono/node-server";
import { connectHttp } from "@suite/core/client";
import { createFetchHandler, type FetchOptions } from "@suite/core/http";
import { Hono } from "hono";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";

import { Everything } from "../fixtures/everything/state.ts";
import { visitV1, visitV2 } from "./official-clients.ts";
import { createHttpFixture } from "./serving.ts";

const URL_OF_NOBODY = "http://localhost/mcp";
const textOf = (result: { content: readonly object[] }): unknown =>
  (result.content[0] as { text?: string }).text;

/** No server, no socket: requests go in, responses come out. */
function createLoop(options: FetchOptions = {}): { state: Everything; fetch: typeof globalThis.fetch } {
  const state = new Everything();
  const handle = createFetchHandler(createHttpFixture(state), options);
  return { state, fetch: (target, init) => handle(new Request(target, init)) };
}

describe.each(["2025-03-26", "2025-06-18", "2025-11-25", undefined])(
  "a Fetch handler, asked for %s",
  (revision) => {
    it("serves our client", async () => {
      const { state, fetch } = createLoop();
      const client = await connectHttp(URL_OF_NOBODY, {
        fetch,
        ...(revision !== undefined && { revision }),
        elicit: () => ({ action: "accept", content: { word: "yes" } }),
      });
      onTestFinished(() => client.close());
      expect(client.agreement.revision).toBe(revision ?? "2026-07-28");
      const steps: unknown[] = [];
      await client.callTool("progress", { steps: 3 }, { onProgress: ({ progress }) => steps.push(progress) });
      expect(steps).toEqual([1, 2, 3]);
      const asked = await client.callTool("ask_twice");
      expect(asked.isError ?? textOf(asked)).toBe(revision === "2025-03-26" ? true : "yes yes");
      let changes = 0;
      const subscription = await client.subscribe("demo:///counter", () => (changes += 1));
      await client.callTool("count");
      await until(() => changes === 1, "the change");
      await subscription.close();
      await until(() => state.watches.stopped === 1, "the end of the watch");
      const controller = new AbortController();
      const slow = client.callTool("slow", { ms: 20_000, label: "left" }, { signal: controller.signal });
      const outcome = slow.catch((thrown: unknown) => thrown);
      await until(() => state.ran.includes("left"), "the call");
      controller.abort(new Error("enough"));
      expect(await outcome).toMatchObject({ message: "enough" });
      await until(() => state.aborted.includes("left"), "the abort");
    });
  },
);

describe("a Fetch handler", () => {
  const post = (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): RequestInit => ({
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  });

  it("keeps the same door and the same limits", async () => {
    const { fetch } = createLoop({ largestBody: 1000 });
    const status = async (url: string, init?: RequestInit): Promise<number> =>
      (await fetch(url, init)).status;
    expect(await status("http://localhost/healthz")).toBe(200);
    expect(await status("http://evil.example.com/mcp", post("{}"))).toBe(403);
    expect(await status(URL_OF_NOBODY, post("{}", { origin: "http://evil.example.com" }))).toBe(403);
    expect(await status("http://localhost/elsewhere", post("{}"))).toBe(404);
    expect(await status(URL_OF_NOBODY, { method: "PUT" })).toBe(405);
    expect(await status(URL_OF_NOBODY, post("{"))).toBe(400);
    expect(await status(URL_OF_NOBODY, post(new Uint8Array([0x22, 0xff, 0x22])))).toBe(400);
    expect(await status(URL_OF_NOBODY, post("x".repeat(1001)))).toBe(413);
    expect(await status(URL_OF_NOBODY, { method: "POST", body: "{}" })).toBe(415);
    expect(await status(URL_OF_NOBODY, post("{}", { accept: "text/html" }))).toBe(406);
    expect(await status(URL_OF_NOBODY, { headers: { accept: "text/event-stream" } })).toBe(400);
  });

  it("gives up a reader that does not read", async () => {
    const { state, fetch } = createLoop();
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const notifications = { resourceSubscriptions: ["demo:///counter"] };
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { notifications, _meta: meta },
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
    const response = await fetch(URL_OF_NOBODY, post(JSON.stringify(message), headers));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    // Each event has more than a hundred bytes; together they are more than anybody may leave unread.
    for (let count = 0; count < 200_000; count += 1) for (const tell of state.counterWatchers) tell();
    await until(() => state.watches.stopped === 1, "the end of the watch");
    await expect(response.text()).rejects.toThrow("too slow");
  });

  it("runs inside Hono, for clients that nobody here wrote", async () => {
    const app = new Hono();
    const state = new Everything();
    const handle = createFetchHandler(createHttpFixture(state));
    app.all("/mcp", (context) => handle(context.req.raw));
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    onTestFinished(() => void server.close());
    await new Promise((resolve) =>
      server.listening ? resolve(undefined) : server.once("listening", resolve),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    for (const visitor of [await visitV1(url, "2025-11-25"), await visitV2(url, "2026-07-28")]) {
      const steps: number[] = [];
      const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress);
      expect(textOf(await visitor.callTool("progress", { steps: 3 }, { onProgress }))).toBe("3 steps");
      expect(steps).toEqual([1, 2, 3]);
      expect(textOf(await visitor.callTool("sample_text", { prompt: "ping" }))).toBe("outsider: pong");
      await visitor.listen(["demo:///counter"]);
      await visitor.callTool("count");
      const isTold = (): boolean => visitor.notified.some(({ method }) => method.endsWith("/updated"));
      await until(isTold, "the change");
    }
    const client = await connectHttp(url);
    const call = client.callTool("slow", { ms: 20_000, label: "hono" }).catch((thrown: unknown) => thrown);
    await until(() => state.ran.includes("hono"), "the call");
    await client.close();
    await call;
    await until(() => state.aborted.includes("hono"), "the abort");
  });
});
