import { describe, expect, it } from "vitest";

import { defineTool } from "../../../src/features/tool.ts";
import { createFetchHandler, type FetchHandler } from "../../../src/serve-http.ts";
import { createServer, type Server } from "../../../src/server.ts";
import { PostedSession, toModernPost } from "./posting.ts";

interface Subject {
  readonly server: Server;
  readonly handle: FetchHandler;
  readonly send: (init: RequestInit) => Promise<Response>;
  readonly started: Promise<void>;
}

/** A server with a tool that never ends by itself. */
function createSubject(): Subject {
  let start: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (start = resolve));
  const stuck = defineTool({
    name: "stuck",
    description: "Never ends.",
    run: () => {
      start();
      return new Promise<string>(() => undefined);
    },
  });
  const server = createServer({ name: "t", version: "1", state: {}, tools: [stuck] });
  const handle = createFetchHandler(server);
  return { server, handle, started, send: (init) => handle(new Request("http://localhost/mcp", init)) };
}

const EMPTY_STREAM = { status: 200, type: "text/event-stream", body: "" };

async function describeAnswer(answer: Promise<Response>): Promise<typeof EMPTY_STREAM> {
  const response = await answer;
  const { status, headers } = response;
  return { status, type: headers.get("content-type") ?? "", body: await response.text() };
}

describe("a request that will get no answer", () => {
  it("is let go when its session is deleted", async () => {
    const { send, started } = createSubject();
    const session = await PostedSession.open(send);
    const call = session.request("tools/call", { name: "stuck" });
    await started;
    expect((await session.delete()).status).toBe(204);
    expect(await describeAnswer(call)).toEqual(EMPTY_STREAM);
  });

  it("is let go when the client cancels it", async () => {
    const { send, started } = createSubject();
    const session = await PostedSession.open(send);
    const call = session.request("tools/call", { name: "stuck" }, "it");
    await started;
    expect((await session.notify("notifications/cancelled", { requestId: "it" })).status).toBe(202);
    expect(await describeAnswer(call)).toEqual(EMPTY_STREAM);
  });

  it.each(["dispose", "close"] as const)("is let go in both eras on %s", async (ending) => {
    const { send, started, server, handle } = createSubject();
    const session = await PostedSession.open(send);
    const calls = [
      session.request("tools/call", { name: "stuck" }),
      send(toModernPost("tools/call", { name: "stuck" })),
    ];
    await started;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await (ending === "dispose" ? server.dispose() : handle.close(0));
    for (const call of calls) expect(await describeAnswer(call)).toEqual(EMPTY_STREAM);
  });
});
