import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { modernMeta, startLegacy, TARGETS } from "./targets.ts";

const SEED = 20_260_728;
const LINES = 1000;

const METHODS = [
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/initialized",
  "notifications/roots/list_changed",
];

/** Of tools, prompts and resources: each target has some of them. */
const NAMES = [
  "save_note",
  "summarize_note",
  "Echo.text-1",
  "every_keyword",
  "zod_schema",
  "note:///welcome",
  "list_allowed_directories",
  "read_query",
  "git_status",
  "review_branch",
  "clear_cache",
  "compare_pages",
  "get_rate_limit",
];

const value = fc.jsonValue({ maxDepth: 4 });
const orValue = (likely: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: likely }, { weight: 1, arbitrary: value });

const params = fc.record(
  {
    name: orValue(fc.constantFrom(...NAMES)),
    uri: orValue(fc.constantFrom(...NAMES)),
    arguments: value,
    cursor: value,
    level: value,
    ref: orValue(
      fc.record({ type: fc.constantFrom("ref/prompt", "ref/resource"), name: fc.constantFrom(...NAMES) }),
    ),
    argument: orValue(fc.record({ name: fc.string(), value: fc.string() })),
    notifications: value,
    requestId: value,
    requestState: value,
    inputResponses: value,
    _meta: orValue(fc.constant(modernMeta({ elicitation: {} }))),
  },
  { requiredKeys: [] },
);

const message = fc.record(
  {
    jsonrpc: orValue(fc.constant("2.0")),
    id: orValue(fc.integer()),
    method: orValue(fc.constantFrom(...METHODS)),
    params: orValue(params),
    result: value,
    error: value,
  },
  { requiredKeys: ["jsonrpc", "method"] },
);

/** A message with a stretch of its text cut out or doubled. */
const damaged = fc
  .tuple(message, fc.nat(200), fc.nat(200), fc.boolean())
  .map(([whole, start, length, isDoubled]) => {
    const text = JSON.stringify(whole);
    const end = start + length;
    return isDoubled ? text.slice(0, end) + text.slice(start) : text.slice(0, start) + text.slice(end);
  });

const rawLine = fc.oneof(
  { weight: 6, arbitrary: message.map((whole) => Buffer.from(JSON.stringify(whole))) },
  { weight: 2, arbitrary: damaged.map((text) => Buffer.from(text.replaceAll("\n", " "))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: value.map((any) => Buffer.from(JSON.stringify(any))) },
);

describe.each(TARGETS)("random lines to $name", ({ command }) => {
  it("keep it alive and well-spoken", async () => {
    const server = await startLegacy(command, "2025-11-25", { elicitation: {}, roots: {}, sampling: {} });
    for (const bytes of fc.sample(rawLine, { numRuns: LINES, seed: SEED })) {
      await server.write(Buffer.concat([bytes, Buffer.from("\n")]));
    }
    expect((await server.request("ping")).result).toEqual({});
    expect(server.strays).toEqual([]);
    expect(server.heard.length).toBeGreaterThan(LINES / 4);
    const malformed = server.heard.filter(
      ({ jsonrpc, method, result, error }) =>
        jsonrpc !== "2.0" || (method === undefined && (result === undefined) === (error === undefined)),
    );
    expect(malformed).toEqual([]);
    expect(server.heard.filter(({ error }) => error?.message === "Internal error")).toEqual([]);
    expect(await server.leave()).toEqual({ code: 0, signal: null });
    expect(server.stderr).toBe("");
  });
});
