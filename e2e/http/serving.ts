import { defineTool, type Server } from "@suite/core";
import { serveHttp, type HttpOptions, type HttpServing } from "@suite/core/http";
import { onTestFinished, vi } from "vitest";

import { createEverythingServer } from "../fixtures/everything/server.ts";
import { Everything, type EverythingContext } from "../fixtures/everything/state.ts";

/** A server of ours behind HTTP, in the test's own process: what it does inside can be looked at. */
export interface Served extends HttpServing {
  readonly state: Everything;
}

/** Has arguments that travel in headers as well. */
const routed = defineTool({
  name: "routed",
  description: "Is routed by its arguments.",
  input: {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      shelf: { type: "integer", "x-mcp-header": "Shelf" },
      dry: { type: "boolean", "x-mcp-header": "Dry" },
      where: { type: "object", properties: { room: { type: "string", "x-mcp-header": "Room" } } },
      note: { type: "string" },
    },
  },
  run: (input) => JSON.stringify(input),
});

/** Lets its connection go and finishes nevertheless. */
const detaching = defineTool({
  name: "detaching",
  description: "Answers after its connection is closed.",
  async run(_input, { detach }: EverythingContext) {
    detach();
    await new Promise((resolve) => setTimeout(resolve, 150));
    return "still here";
  },
});

/** Says nothing for a while, then something before its answer. */
const late = defineTool({
  name: "late",
  description: "Logs late.",
  async run(_input, { log, state }: EverythingContext) {
    state.ran.push("late");
    await new Promise((resolve) => setTimeout(resolve, 150));
    log.error("at last");
    return "late";
  },
});

export function createHttpFixture(state: Everything = new Everything()): Server<Everything> {
  const server = createEverythingServer(state);
  server.addTool(routed);
  server.addTool(detaching);
  server.addTool(late);
  return server;
}

/** From now on no time passes for sessions but what the test lets pass. */
export function holdClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.advanceTimersByTime(ms);
}

/** Serves on a free port of loopback until the test is over. */
export async function serve(options: HttpOptions = {}): Promise<Served> {
  const state = new Everything();
  const serving = await serveHttp(createHttpFixture(state), options);
  onTestFinished(() => serving.close(0));
  return { ...serving, state };
}
