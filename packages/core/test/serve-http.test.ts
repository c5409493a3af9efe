import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { createFetchHandler, type HttpOptions } from "../src/serve-http.ts";
import { defineTool } from "../src/features/tool.ts";
import { createServer } from "../src/server.ts";
import { toModernPost } from "./transport/http/posting.ts";
import { listenerAt, look, serve } from "./transport/http/serving.ts";

describe("serveHttp", () => {
  it("speaks of its own options when it refuses to listen", async () => {
    await expect(serve({ host: "0.0.0.0" })).rejects.toThrow(/set an authorizer, or insecureNoAuth$/);
  });

  it.each([
    [{ prt: 3000 }, "HttpOptions has no member prt."],
    [{ port: -1 }, "HttpOptions: port must be a whole number from 0 to 2147483647"],
    [{ mostSessions: 0 }, "HttpOptions: mostSessions must be a whole number from 1 to 2147483647"],
    [{ perCaller: { request: 1 } }, "perCaller has no member request."],
  ])("refuses options that types would have refused: %j", async (options, message) => {
    await expect(serve(options as HttpOptions)).rejects.toThrow(message);
  });

  it("reports what goes wrong with its listener, and goes on", async () => {
    const failures: unknown[] = [];
    const { url } = await serve({}, { onError: (thrown) => failures.push(thrown) });
    const listener = await listenerAt(url);
    listener?.emit("error", new Error("accept ENFILE"));
    expect(failures).toMatchObject([{ message: "accept ENFILE" }]);
    expect(await look(url)).toBe(200);
  });

  it("limits the messages of WebSockets like those of requests", async () => {
    const { url } = await serve({ websocket: true, largestBody: 1000 });
    const socket = new WebSocket(url.replace("http:", "ws:"), "mcp");
    await once(socket, "open");
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "y".repeat(2000) } }));
    const [code] = (await once(socket, "close")) as [number];
    expect(code).toBe(1009);
  });
});

it("delivers an answer that is larger than what may pile up", async () => {
  const length = 17 * 1024 * 1024;
  const talk = defineTool({
    name: "talk",
    description: "Says something, and then much.",
    run(_input, { progress }) {
      progress(1);
      return "x".repeat(length);
    },
  });
  const serving = await serve({}, { tools: [talk] });
  const response = await fetch(
    serving.url,
    toModernPost("tools/call", { name: "talk", _meta: { progressToken: 1 } }),
  );
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect((await response.text()).length).toBeGreaterThan(length);
});

describe("createFetchHandler", () => {
  it.each(["2001:db8::1", "[2001:db8::1]", "2001:DB8:0:0:0:0:0:1"])("may be known as %s", async (host) => {
    const server = createServer({ name: "t", version: "1", state: {} });
    const handle = createFetchHandler(server, { allowedHosts: [host] });
    expect((await handle(new Request("http://[2001:db8::1]:8080/healthz"))).status).toBe(200);
    expect((await handle(new Request("http://[2001:db8::2]:8080/healthz"))).status).toBe(403);
  });

  it("closes: streams end with their result, and nobody is served any more", async () => {
    const handle = createFetchHandler(createServer({ name: "t", version: "1", state: {}, tools: [] }));
    const send = (method: string, params: { readonly [name: string]: unknown }): Promise<Response> =>
      handle(new Request("http://localhost/mcp", toModernPost(method, params)));
    const ears = await send("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await handle.close();
    expect(await ears.text()).toContain('"resultType":"complete"');
    expect((await send("tools/list", {})).status).toBe(503);
  });
});
