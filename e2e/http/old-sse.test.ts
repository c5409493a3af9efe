import { callHttp, type HttpCall, isAnswerTo, until } from "@suite/check/wires";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { CallToolResultSchema, CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";

import { serve, type Served } from "./serving.ts";
import { verify } from "./verify.ts";

const SERVING = { sse: true };

interface OldWire {
  readonly stream: HttpCall;
  readonly endpoint: string;
  readonly say: (message: unknown) => Promise<HttpCall>;
}

async function open(served: Served): Promise<OldWire> {
  const stream = await callHttp(new URL("/sse", served.url).href, {
    headers: { accept: "text/event-stream" },
  });
  const { data = "" } = await until(() => stream.events[0], "The first event");
  const endpoint = new URL(data, served.url).href;
  const headers = { "content-type": "application/json" };
  const say = (message: unknown): Promise<HttpCall> =>
    callHttp(endpoint, { method: "POST", headers, body: JSON.stringify(message) });
  return { stream, endpoint, say };
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } },
};

verify(
  ["http/two-endpoints", "http/endpoint-event"],
  "names the endpoint to post to in the first event, and answers on the stream",
  async ({ served }) => {
    const { stream, endpoint, say } = await open(served);
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    expect(stream.events).toHaveLength(1);
    expect(stream.events[0]).toMatchObject({ event: "endpoint" });
    expect(new URL(endpoint).origin).toBe(new URL(served.url).origin);
    expect(new URL(endpoint).pathname).not.toBe("/sse");
    const posted = await say(INITIALIZE);
    expect(await posted.ended).toBe(true);
    expect([posted.status, posted.text]).toEqual([202, ""]);
    const { result } = await stream.hear(isAnswerTo(0));
    expect(result?.["protocolVersion"]).toBe("2024-11-05");
    expect(stream.events.slice(1).map(({ event }) => event)).toEqual(["message"]);
  },
  { serving: { sse: true } },
);

describe("the transport of 2024-11-05", () => {
  it("is off unless asked for", async () => {
    const served = await serve();
    for (const path of ["/sse", "/messages?session=x"])
      expect((await callHttp(new URL(path, served.url).href)).status).toBe(404);
  });

  it("refuses messages for streams that are not open", async () => {
    const served = await serve(SERVING);
    const one = await open(served);
    const other = one.endpoint.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await callHttp(other, post)).status).toBe(404);
    expect((await callHttp(new URL("/messages", served.url).href, post)).status).toBe(404);
    expect((await one.say("{")).status).toBe(202);
    one.stream.drop();
    await expect.poll(async () => (await one.say(INITIALIZE)).status).toBe(404);
  });

  it("aborts what runs when the stream is closed, and closes it when the server goes", async () => {
    const served = await serve(SERVING);
    const { stream, say } = await open(served);
    await say(INITIALIZE);
    const params = { name: "slow", arguments: { ms: 20_000, label: "old" } };
    await say({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    stream.drop();
    await expect.poll(() => served.state.aborted).toEqual(["old"]);
    const another = await open(served);
    await served.close(500);
    expect(await another.stream.ended).toBe(true);
  });

  it("keeps idle streams alive", async () => {
    const served = await serve({ ...SERVING, keepAliveMs: 40 });
    const { stream } = await open(served);
    await expect.poll(() => stream.comments.length).toBeGreaterThanOrEqual(2);
  });

  it("serves the official client", async () => {
    const served = await serve(SERVING);
    const client = new Client({ name: "old", version: "1" }, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: "old-model",
      role: "assistant",
      content: { type: "text", text: "pong" },
    }));
    const heard: string[] = [];
    client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
    // oxlint-disable-next-line typescript/no-deprecated -- it is what clients of 2024-11-05 have
    await client.connect(new SSEClientTransport(new URL("/sse", served.url)));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const sampled = await client.callTool({ name: "sample_text", arguments: { prompt: "ping" } });
    expect(sampled.content).toEqual([{ type: "text", text: "old-model: pong" }]);
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress);
    await client.callTool({ name: "progress", arguments: { steps: 3 } }, CallToolResultSchema, {
      onprogress,
    });
    expect(steps).toEqual([1, 2, 3]);
    await client.subscribeResource({ uri: "demo:///counter" });
    await client.callTool({ name: "count", arguments: {} });
    await client.callTool({ name: "add_tool", arguments: {} });
    await client.ping();
    expect(heard).toEqual(["notifications/resources/updated", "notifications/tools/list_changed"]);
  });

  it("lets several clients in side by side", async () => {
    const served = await serve(SERVING);
    const wires = await Promise.all([1, 2, 3].map(() => open(served)));
    await Promise.all(wires.map(({ say }) => say(INITIALIZE)));
    for (const { stream } of wires) {
      await stream.hear(isAnswerTo(0));
      expect(stream.messages).toHaveLength(1);
    }
    await wires[0]?.say({ jsonrpc: "2.0", id: 1, method: "ping" });
    await wires[0]?.stream.hear(isAnswerTo(1));
    expect(wires.map(({ stream }) => stream.messages.length)).toEqual([2, 1, 1]);
  });
});
