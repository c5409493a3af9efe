import { describe, expect, it } from "vitest";

import { defineTool } from "../../../src/features/tool.ts";
import { createFetchHandler, type FetchHandler } from "../../../src/serve-http.ts";
import { createServer, type Server } from "../../../src/server.ts";
import { skipWaits } from "../../transcript.ts";
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

const toCutOff = (reason: string): typeof EMPTY_STREAM => {
  const error = { code: -32_603, message: `${reason}: how far the work got is unknown` };
  return { status: 200, type: "application/json", body: JSON.stringify({ jsonrpc: "2.0", id: 1, error }) };
};

describe("a request that is cut off", () => {
  it("is told so when its session is deleted", async () => {
    const { send, started } = createSubject();
    const session = await PostedSession.open(send);
    const call = session.request("tools/call", { name: "stuck" });
    await started;
    expect((await session.delete()).status).toBe(204);
    expect(await describeAnswer(call)).toEqual(toCutOff("The client ended the session"));
  });

  it("is let go without an answer when the client cancels it", async () => {
    const { send, started } = createSubject();
    const session = await PostedSession.open(send);
    const call = session.request("tools/call", { name: "stuck" }, "it");
    await started;
    expect((await session.notify("notifications/cancelled", { requestId: "it" })).status).toBe(202);
    expect(await describeAnswer(call)).toEqual(EMPTY_STREAM);
  });

  it.each(["dispose", "close"] as const)("is told so in both eras on %s", async (ending) => {
    const { send, started, server, handle } = createSubject();
    const session = await PostedSession.open(send);
    const calls = [
      session.request("tools/call", { name: "stuck" }),
      send(toModernPost("tools/call", { name: "stuck" })),
    ];
    await started;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await (ending === "dispose" ? server.dispose() : handle.close(0));
    const cutOff = toCutOff("The server is shutting down");
    for (const call of calls) expect(await describeAnswer(call)).toEqual(cutOff);
  });
});

it("a task is given the time that closing allows", async () => {
  skipWaits();
  let finish: () => void = () => undefined;
  const work = defineTool({
    name: "work",
    description: "Waits.",
    task: "optional",
    run: (_input, { detach }) => {
      detach();
      return new Promise<string>((resolve) => (finish = () => resolve("done")));
    },
  });
  const server = createServer({ name: "t", version: "1", tools: [work] });
  const handle = createFetchHandler(server);
  const _meta = {
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const post = toModernPost("tools/call", { name: "work", _meta });
  const answer = await handle(new Request("http://localhost/mcp", post));
  expect(await answer.json()).toMatchObject({ result: { status: "working" } });
  let isClosed = false;
  const closing = handle.close(60_000).then(() => (isClosed = true));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(isClosed).toBe(false);
  finish();
  await closing;
});
