import { describe, expect, it } from "vitest";

import { faultsIn } from "../src/rules/faults.ts";
import type { Message } from "../src/wires/message.ts";
import { META_PROTOCOL_VERSION, type Revision } from "../src/wires/revisions.ts";

const jsonrpc = "2.0";
const modern = { [META_PROTOCOL_VERSION]: "2026-07-28" };
const serverInfo = { name: "n", version: "1" };

const request = (id: unknown, method: string, params: object = {}): Message => ({
  jsonrpc,
  id,
  method,
  params: { ...params },
});
const result = (id: unknown, members: object): Message => ({ jsonrpc, id, result: { ...members } });
const failure = (id: unknown, code: number, message = "No"): Message => ({
  jsonrpc,
  id,
  error: { code, message },
});
const notification = (method: string, params: object = {}): Message => ({
  jsonrpc,
  method,
  params: { ...params },
});

const askModern = (method: string): Message => request(1, method, { _meta: modern });
const complete = (members: object): Message =>
  result(1, {
    resultType: "complete",
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
    ...members,
  });

/** A conversation that goes on after the handshake. */
function inSession(revision: Revision, said: readonly Message[], heard: readonly Message[]): string[] {
  const opened = result(0, { protocolVersion: revision, capabilities: {}, serverInfo });
  return faultsIn({ said: [request(0, "initialize"), ...said], heard: [opened, ...heard] });
}
const alone = (said: readonly Message[], heard: readonly Message[]): string[] => faultsIn({ said, heard });

describe("a sound conversation", () => {
  it("has no faults in either era", () => {
    const progress = (value: number): Message =>
      notification("notifications/progress", { progressToken: 7, progress: value });
    const call = request(1, "tools/call", { name: "t", _meta: { progressToken: 7 } });
    expect(
      inSession(
        "2024-11-05",
        [call],
        [progress(1), progress(2), result(1, { content: [{ type: "text", text: "" }] })],
      ),
    ).toEqual([]);
    expect(
      alone([askModern("tools/list")], [complete({ tools: [], ttlMs: 1, cacheScope: "private" })]),
    ).toEqual([]);
    expect(alone([], [{ jsonrpc, error: { code: -32_700, message: "No JSON" } }])).toEqual([]);
  });

  it("may use an id again", () => {
    const said = [request(1, "ping"), request(1, "tools/list")];
    expect(inSession("2025-06-18", said, [result(1, {}), result(1, { tools: [] })])).toEqual([]);
  });
});

const ping = request(1, "ping");
const call = request(1, "tools/call", { _meta: { progressToken: 7 } });
const progress = (value: unknown, progressToken: unknown = 7): Message =>
  notification("notifications/progress", { progressToken, progress: value });
const content = (block: object): Message => result(1, { content: [block] });

describe("a fault", () => {
  it.each<[string, readonly Message[], readonly Message[]]>([
    ["jsonrpc is not 2.0", [ping], [{ ...result(1, {}), jsonrpc: "1.0" }]],
    ["Not one of result and error", [ping], [{ jsonrpc, id: 1 }]],
    ["Not one of result and error", [ping], [{ ...failure(1, -1), result: {} }]],
    ["An error without code or message", [ping], [failure(1, 1.5)]],
    ["An error message is not one short line", [ping], [failure(1, -1, "two\nlines")]],
    ["A response to nothing", [ping], [result("1", {})]],
    ["A response to nothing", [ping], [result(1, {}), result(1, {})]],
    ["A notification with an id", [], [request(5, "notifications/message")]],
    ["without an id of its own", [], [request(5, "ping"), request(5, "ping")]],
    ["without an id of its own", [], [request(null, "ping")]],
    ["Progress on nothing in flight", [call], [progress(1, "7")]],
    ["Progress on nothing in flight", [call], [content({ type: "text" }), progress(1)]],
    ["Progress that does not grow", [call], [progress(1), progress(1)]],
    ["tools/call.content of type audio", [call], [content({ type: "audio" })]],
    ["tools/call.content._meta", [call], [content({ type: "text", _meta: {} })]],
    ["tools/call.structuredContent", [call], [result(1, { structuredContent: {} })]],
    ["tools/list.tools.title", [request(1, "tools/list")], [result(1, { tools: [{ title: "T" }] })]],
    ["tools/list.ttlMs", [request(1, "tools/list")], [result(1, { tools: [], ttlMs: 1 })]],
    ["ping.resultType", [ping], [result(1, { resultType: "complete" })]],
    ["elicitation/create", [], [request(5, "elicitation/create")]],
    [
      "notifications/subscriptions/acknowledged",
      [],
      [notification("notifications/subscriptions/acknowledged")],
    ],
  ])("is found: %s", (fault, said, heard) => {
    expect(inSession("2024-11-05", said, heard)).toContainEqual(expect.stringContaining(fault));
  });

  it.each<[string, Message]>([
    ["A request of the server", request(5, "roots/list")],
    ["An unknown resultType", complete({ resultType: "task" })],
    ["An unknown resultType", result(1, { tools: [] })],
    ["A result that does not name its server", complete({ _meta: {} })],
    ["A reserved error code", failure(1, -32_002)],
    ["A reserved error code", failure(1, -32_042)],
    ["A reserved error code", failure(1, -32_000)],
    ["tools/list.nonsense", complete({ nonsense: 1 })],
  ])("is found in the modern era: %s", (fault, heard) => {
    expect(alone([askModern("tools/list")], [heard])).toContainEqual(expect.stringContaining(fault));
  });
});
