import {
  callHttp,
  HttpWire,
  isOf,
  JSON_HEADERS,
  META_CLIENT_CAPABILITIES,
  META_PROTOCOL_VERSION,
  type SendOptions,
} from "@suite/check/wires";
import { expect } from "vitest";

import { verify } from "./verify.ts";

const modernMeta = (): object => ({
  [META_PROTOCOL_VERSION]: "2026-07-28",
  [META_CLIENT_CAPABILITIES]: {},
});

/** Status and code of the answer; errors must name their request. */
async function outcome(
  wire: HttpWire,
  method: string,
  params: Record<string, unknown>,
  options: SendOptions,
): Promise<readonly [number, number | undefined]> {
  const sent = await wire.send(method, params, { id: "it", ...options });
  const { id, error } = await sent.answer();
  expect(id).toBe("it");
  expect(sent.headers["content-type"]).toBe("application/json");
  return [sent.status, error?.code];
}

verify(
  ["http/missing-meta-400"],
  "answers 400 and -32602 when _meta lacks what it must have",
  async ({ open }) => {
    const wire = await open();
    for (const [name, value] of [
      [META_PROTOCOL_VERSION, undefined],
      [META_PROTOCOL_VERSION, 20_260_728],
      [META_CLIENT_CAPABILITIES, undefined],
      [META_CLIENT_CAPABILITIES, "all"],
      [META_CLIENT_CAPABILITIES, null],
    ] as const)
      expect(await outcome(wire, "tools/list", {}, { meta: { [name]: value } }), name).toEqual([400, -32602]);
    const odd = { jsonrpc: "1.0", id: 1, method: "tools/list", params: { _meta: modernMeta() } };
    const old = await wire.say(odd, { "mcp-method": "tools/list" });
    expect([old.status, (await old.answer()).error?.code]).toEqual([400, -32600]);
    const bare = await wire.say(
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      { "mcp-method": "tools/list" },
    );
    expect([bare.status, (await bare.answer()).error?.code]).toEqual([400, -32602]);
  },
);

verify(
  ["http/version-header-matches-meta"],
  "answers 400 and -32020 when header and _meta name different versions",
  async ({ open }) => {
    const wire = await open();
    for (const version of ["2025-11-25", "2026-07-29", "2026-07-28 beta", ""]) {
      const headers = { "mcp-protocol-version": version };
      expect(await outcome(wire, "tools/list", {}, { headers }), version).toEqual([400, -32020]);
    }
    const meta = { [META_PROTOCOL_VERSION]: "2099-01-01" };
    expect(await outcome(wire, "tools/list", {}, { meta })).toEqual([400, -32020]);
  },
);

verify(
  ["http/unsupported-version-400"],
  "answers 400 and -32022 to a version that it does not speak this way",
  async ({ open }) => {
    const wire = await open();
    for (const version of ["2099-01-01", "2025-11-25", "DRAFT-2026-v1"]) {
      const sent = await wire.send(
        "tools/list",
        {},
        { headers: { "mcp-protocol-version": version }, meta: { [META_PROTOCOL_VERSION]: version } },
      );
      const { error } = await sent.answer();
      expect([sent.status, error?.code], version).toEqual([400, -32022]);
      expect(error?.data).toMatchObject({
        requested: version,
        supported: expect.arrayContaining(["2026-07-28"]) as [],
      });
    }
  },
);

verify(
  ["http/unknown-method-404"],
  "answers 404 and -32601 to methods that the revision does not have",
  async ({ open }) => {
    const wire = await open();
    const gone = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
    for (const method of [...gone, "tools/lost", "__proto__", "notifications/initialized"])
      expect(await outcome(wire, method, { uri: "demo:///text" }, {}), method).toEqual([404, -32601]);
  },
);

verify(
  ["http/missing-capability-400"],
  "answers 400 and -32021 when the client has not declared what the request needs",
  async ({ open }) => {
    const wire = await open();
    const sent = await wire.sendTool("sample_text", { prompt: "Hi" });
    const { error } = await sent.answer();
    expect([sent.status, error?.code]).toEqual([400, -32021]);
    expect(error?.data).toEqual({ requiredCapabilities: { sampling: {} } });
  },
);

verify(
  ["http/required-headers-enforced"],
  "answers 400 and -32020 when a header that must be there is missing",
  async ({ open, served }) => {
    const wire = await open();
    const read = { uri: "demo:///text" };
    const without = (name: string): SendOptions => ({ headers: { [name]: undefined } });
    expect(await outcome(wire, "tools/list", {}, without("mcp-protocol-version"))).toEqual([400, -32020]);
    expect(await outcome(wire, "tools/list", {}, without("mcp-method"))).toEqual([400, -32020]);
    expect(await outcome(wire, "resources/read", read, without("mcp-name"))).toEqual([400, -32020]);
    expect(await outcome(wire, "tools/call", { name: "journal" }, without("mcp-name"))).toEqual([
      400, -32020,
    ]);
    expect(await outcome(wire, "prompts/get", { name: "x" }, without("mcp-name"))).toEqual([400, -32020]);
    expect(served.state.calls).toEqual([]);
    expect((await wire.send("tools/list")).status).toBe(200);
  },
);

verify(
  ["http/header-mismatch"],
  "answers 400 and -32020 when a header repeats something else than the body says",
  async ({ open, served }) => {
    const wire = await open();
    const journal = { name: "journal", arguments: {} };
    const wrong: readonly [string, Record<string, unknown>, Record<string, string>][] = [
      ["tools/list", {}, { "mcp-method": "tools/call" }],
      ["tools/list", {}, { "mcp-method": "Tools/List" }],
      ["tools/list", {}, { "mcp-method": "tools/list, tools/call" }],
      ["tools/call", journal, { "mcp-name": "slow" }],
      ["tools/call", journal, { "mcp-name": "Journal" }],
      ["tools/call", journal, { "mcp-name": "" }],
      ["resources/read", { uri: "demo:///text" }, { "mcp-name": "demo:///blob" }],
      ["tools/call", { name: "routed", arguments: { region: "a" } }, { "mcp-param-region": "b" }],
      ["tools/call", { name: "routed", arguments: { dry: true } }, { "mcp-param-dry": "True" }],
      ["tools/call", { name: "routed", arguments: { dry: true } }, { "mcp-param-dry": "1" }],
    ];
    for (const [method, params, headers] of wrong)
      expect(await outcome(wire, method, params, { headers }), JSON.stringify(headers)).toEqual([
        400, -32020,
      ]);
    expect(served.state.calls).toEqual([]);
  },
);

verify(["http/header-names-case-insensitive"], "takes header names in any letter case", async ({ open }) => {
  const wire = await open();
  const headers = {
    "mcp-method": undefined,
    "MCP-METHOD": "tools/call",
    "mcp-name": undefined,
    "mCp-NaMe": "journal",
  };
  expect((await wire.callTool("journal", {}, { headers })).result).toBeDefined();
  const loud = { "mcp-name": "JOURNAL" };
  expect(await outcome(wire, "tools/call", { name: "journal" }, { headers: loud })).toEqual([400, -32020]);
});

verify(
  ["http/get-delete-405"],
  "answers GET and DELETE of this revision with 405",
  async ({ open, served }) => {
    const wire = await open();
    for (const answer of [await wire.get(), await wire.delete()])
      expect([answer.status, answer.headers.allow]).toEqual([405, "POST"]);
    const headers = { "mcp-protocol-version": "2026-07-28", accept: "*/*" };
    expect((await callHttp(served.url, { method: "PUT", headers })).status).toBe(405);
  },
);

verify(
  ["http/session-and-event-ids-ignored"],
  "takes no notice of session and event ids, and gives none out",
  async ({ open, served }) => {
    const wire = await open();
    const legacy = await HttpWire.open(served.url, "2025-11-25");
    for (const id of ["made-up", legacy.sessionId]) {
      const headers = { "mcp-session-id": id, "last-event-id": "1.1" };
      const sent = await wire.sendTool("progress", { steps: 1 }, { headers, meta: { progressToken: 1 } });
      expect((await sent.answer()).result).toBeDefined();
      expect(sent.headers["mcp-session-id"]).toBeUndefined();
      expect(sent.events.filter((event) => "id" in event)).toEqual([]);
    }
  },
);

verify(
  ["http/disconnect-cancels", "http/disconnect-stops-work"],
  "takes a closed stream for a cancellation and stops at once",
  async ({ open, served }) => {
    const wire = await open();
    const controller = new AbortController();
    const params = { name: "slow", arguments: { ms: 20_000, label: "unheard" }, _meta: modernMeta() };
    const sent = fetch(served.url, {
      method: "POST",
      headers: {
        ...JSON_HEADERS,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "slow",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      signal: controller.signal,
    });
    await expect.poll(() => served.state.ran).toContain("unheard");
    controller.abort();
    await expect(sent).rejects.toThrow("aborted");
    await expect.poll(() => served.state.aborted).toEqual(["unheard"]);
    const stream = await wire.send("subscriptions/listen", {
      notifications: { resourceSubscriptions: ["demo:///counter"] },
    });
    await stream.hear(isOf("notifications/subscriptions/acknowledged"));
    expect(served.state.watches).toEqual({ started: 1, stopped: 0 });
    stream.drop();
    await expect.poll(() => served.state.watches).toEqual({ started: 1, stopped: 1 });
  },
);
