import { createServer as createHttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { connectHttp } from "../../../src/client.ts";
import { defineTool } from "../../../src/index.ts";
import { serve } from "./serving.ts";

/** A server that knows only what `answer` says. */
async function serveOld(answer: (response: ServerResponse) => void): Promise<string> {
  const http = createHttpServer((request, response) => {
    if (request.method === "GET") answer(response.writeHead(200, { "content-type": "text/event-stream" }));
    else response.writeHead(405).end();
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`;
}

describe("HTTP+SSE", () => {
  it("is spoken with a server that knows nothing else", async () => {
    const tool = defineTool({
      name: "where",
      description: "Asks for roots",
      run: async (_input, { roots }) => JSON.stringify(await roots()),
    });
    const { url } = await serve({ sse: true }, { tools: [tool] });
    const client = await connectHttp(new URL("/sse", url), { roots: [{ uri: "file:///home" }] });
    expect(client.agreement.era).toBe("legacy");
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["where"]);
    expect(JSON.stringify(await client.callTool("where"))).toContain("file:///home");
    await client.close();
  });

  it("sends nothing to another server, wherever the stream says that messages should go", async () => {
    const url = await serveOld((response) => {
      response.write("event: endpoint\ndata: http://127.0.0.1:9/messages\n\n");
    });
    await expect(connectHttp(url)).rejects.toThrow(/wants its messages at http:\/\/127\.0\.0\.1:9/);
  });

  it("ends with its stream", async () => {
    const url = await serveOld((response) => response.end());
    await expect(connectHttp(url)).rejects.toThrow(/HTTP status 405/);
  });
});
