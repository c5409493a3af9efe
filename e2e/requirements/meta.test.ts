import {
  type Fields,
  isAnswerTo,
  isModern,
  isNotification,
  type Message,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
} from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

const LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const PREFIX = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;
/** What our keys begin with, when they are in reverse order; the other way round these come last. */
const TOP_LEVEL_DOMAINS = ["com", "org", "net", "io", "dev"];

/** Every `_meta` anywhere in these values. */
function metasIn(value: unknown): Fields[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === "_meta" ? [inner as Fields] : []),
    ...metasIn(inner),
  ]);
}

/** Has the server say everything in which it puts a `_meta`. */
async function emittedKeys(wire: Wire): Promise<readonly string[]> {
  for (const name of ["every_content", "reply_in_full", "fail_for_the_model"]) {
    await wire.request("tools/call", { name });
  }
  for (const method of ["tools/list", "resources/list", "prompts/list", "nobody/knows"])
    await wire.request(method);
  await wire.request("resources/read", { uri: "demo:///several" });
  await wire.request("prompts/get", { name: "greeting", arguments: { name: "you" } });
  if (isModern(wire.revision)) {
    const listening = wire.send("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await wire.hear(({ method }) => method === "notifications/subscriptions/acknowledged");
    await wire.request("tools/call", { name: "add_tool" });
    await wire.hear(({ method }) => method === "notifications/tools/list_changed");
    await wire.end();
    await wire.hear(isAnswerTo(listening));
  }
  return [...new Set(metasIn(wire.heard).flatMap((meta) => Object.keys(meta)))];
}

const split = (key: string): [string | undefined, string] => {
  const slash = key.lastIndexOf("/");
  return slash === -1 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
};

verify(
  ["meta/key-prefix-shape", "meta/key-name-shape"],
  "the keys of our _meta are well formed",
  async ({ open, revision }) => {
    const keys = await emittedKeys(await open());
    expect(keys).toContain("org.example/origin");
    if (isModern(revision)) expect(keys).toContain("io.modelcontextprotocol/subscriptionId");
    for (const [prefix, name] of keys.map(split)) {
      if (prefix !== undefined) expect(prefix).toMatch(PREFIX);
      expect(name).toMatch(NAME);
    }
  },
);

verify("meta/key-prefix-reverse-dns", "prefixes begin with the top-level domain", async ({ open }) => {
  const keys = await emittedKeys(await open());
  const prefixes = keys.flatMap((key) => split(key)[0] ?? []);
  expect(prefixes.length).toBeGreaterThan(0);
  for (const prefix of prefixes) expect(TOP_LEVEL_DOMAINS).toContain(prefix.split(".")[0]);
});

verify(
  "meta/reserved-keys-tolerated",
  "reserved keys of no meaning change nothing",
  async ({ shared, revision }) => {
    const wire = await shared(NOTES);
    const odd = [null, 5, "text", [], { deep: { er: [true] } }];
    const keys = [
      "io.modelcontextprotocol/unknown",
      "dev.mcp/unknown",
      "org.modelcontextprotocol.api/x",
      "com.mcp.tools/",
    ];
    const legacyKeys = [META_CLIENT_CAPABILITIES, META_CLIENT_INFO, "io.modelcontextprotocol/logLevel"];
    const plain = await wire.request("tools/list", {}, { id: "x" });
    for (const key of [...keys, ...(isModern(revision) ? [] : legacyKeys), "no-prefix", "", "/", "a/b/c"]) {
      for (const value of odd) {
        const answer = await wire.request("tools/list", {}, { id: "x", meta: { [key]: value } });
        expect(answer, key).toEqual(plain);
      }
    }
  },
);

const TRACE_FORMATS: Record<string, RegExp> = {
  traceparent: /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/,
  tracestate: /^[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*$/,
  baggage: /^[^=,;]+=[^,]*(,[^=,;]+=[^,]*)*$/,
};

verify("meta/trace-context-format", "trace context in our _meta is well formed, if any", async ({ open }) => {
  const wire = await open({ capabilities: { elicitation: {} } });
  const valid = {
    traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`,
    tracestate: "a=1,b=2",
    baggage: "user=1",
  };
  const invalid = { traceparent: "nonsense", tracestate: 5, baggage: ["a"] };
  for (const meta of [valid, invalid]) {
    const traced = { ...meta, progressToken: `for ${meta.traceparent}` };
    expect(await wire.request("tools/call", { name: "ask_form" }, { meta })).toHaveProperty(
      "result.inputRequests",
    );
    await wire.request("tools/call", { name: "progress", arguments: { steps: 2 } }, { meta: traced });
  }
  expect(wire.heard.some(isNotification)).toBe(true);
  const found = metasIn(wire.heard).flatMap((meta) =>
    Object.entries(TRACE_FORMATS)
      .filter(([key]) => key in meta)
      .map(([key, format]) => ({ value: meta[key], format })),
  );
  for (const { value, format } of found) expect(value).toMatch(format);
  expect(found.filter(({ value }) => typeof value !== "string")).toEqual([]);
});

verify("meta/required-fields-enforced", "version and capabilities must be in _meta", async ({ shared }) => {
  const wire = await shared(NOTES);
  const missing = [
    { [META_PROTOCOL_VERSION]: undefined },
    { [META_CLIENT_CAPABILITIES]: undefined },
    {
      [META_PROTOCOL_VERSION]: undefined,
      [META_CLIENT_CAPABILITIES]: undefined,
      [META_CLIENT_INFO]: undefined,
    },
    { [META_CLIENT_CAPABILITIES]: "all" },
    { [META_CLIENT_CAPABILITIES]: [] },
    { [META_PROTOCOL_VERSION]: 20_260_728 },
    { [META_CLIENT_INFO]: { name: "c" } },
  ];
  for (const meta of missing) {
    for (const method of ["server/discover", "tools/list", "resources/list", "subscriptions/listen"]) {
      const { error } = await wire.request(method, { notifications: {} }, { meta });
      expect(error?.code, `${method} ${JSON.stringify(meta)}`).toBe(-32602);
    }
  }
  wire.say({ jsonrpc: "2.0", id: 90, method: "tools/list" });
  expect(await wire.hear(isAnswerTo(90))).toMatchObject({ error: { code: -32602 } });
  wire.say({ jsonrpc: "2.0", id: 91, method: "tools/list", params: { _meta: "text" } });
  expect(await wire.hear(isAnswerTo(91))).toMatchObject({ error: { code: -32602 } });
});

const call = (wire: Wire, name: string, capabilities: object): Promise<Message> =>
  wire.request("tools/call", { name }, { meta: { [META_CLIENT_CAPABILITIES]: capabilities } });

verify("meta/missing-capability-error", "what the client lacks is named", async ({ shared }) => {
  const wire = await shared();
  const needs: [string, object, object][] = [
    ["ask_form", {}, { elicitation: expect.any(Object) as object }],
    ["ask_form", { roots: {}, sampling: {} }, { elicitation: expect.any(Object) as object }],
    ["ask_url", { elicitation: { form: {} } }, { elicitation: { url: expect.any(Object) as object } }],
    ["list_roots", { elicitation: {} }, { roots: {} }],
    ["sample_blocks", {}, { sampling: expect.any(Object) as object }],
  ];
  for (const [name, capabilities, requiredCapabilities] of needs) {
    const { error } = await call(wire, name, capabilities);
    expect(error, name).toMatchObject({ code: -32021, data: { requiredCapabilities } });
  }
});

verify(
  ["meta/undeclared-capability-unused", "stateless/capabilities-not-remembered"],
  "only what this very request declares is asked for",
  async ({ shared }) => {
    const wire = await shared();
    const asked = async (capabilities: object, name = "ask_capable"): Promise<unknown> => {
      const { result } = await call(wire, name, capabilities);
      const requests = Object.values((result?.["inputRequests"] ?? {}) as Record<string, Message>);
      return requests.map(({ method }) => method);
    };
    expect(await asked({ elicitation: {}, roots: {} })).toEqual(["elicitation/create"]);
    expect(await asked({ roots: {} })).toEqual(["roots/list"]);
    expect(await asked({})).toEqual([]);
    expect(await asked({ sampling: {} })).toEqual([]);
    expect(await asked({ elicitation: {} })).toEqual(["elicitation/create"]);
    expect(await call(wire, "ask_form", { elicitation: {} })).toHaveProperty("result.inputRequests");
    expect(await call(wire, "ask_form", {})).toMatchObject({ error: { code: -32021 } });
    expect(await asked({ elicitation: {} }, "ask_side_by_side")).toEqual(["elicitation/create"]);
    expect(await asked({ roots: {} }, "ask_side_by_side")).toEqual(["roots/list"]);
  },
);

verify("meta/server-info-in-results", "every result names the server", async ({ open }) => {
  const wire = await open({ capabilities: { elicitation: {} } });
  await wire.request("server/discover");
  await wire.request("tools/call", { name: "ask_form" });
  await wire.request("completion/complete", {
    ref: { type: "ref/prompt", name: "completing" },
    argument: { name: "nobody", value: "" },
  });
  await emittedKeys(wire);
  const results = wire.heard.flatMap(({ result }) => (result ? [result] : []));
  expect(results.length).toBeGreaterThan(9);
  for (const result of results) {
    const info = (result["_meta"] as Fields)["io.modelcontextprotocol/serverInfo"];
    expect(info).toMatchObject({ name: "everything", version: "1.2.3" });
  }
});

verify(
  "meta/client-info-does-not-change-behaviour",
  "nobody is treated in a special way",
  async ({ open }) => {
    const wire = await open({ capabilities: { elicitation: {} } });
    const clients = [
      undefined,
      { name: "claude-code", version: "2" },
      { name: "x", version: "0", title: "X", extra: [1] },
    ];
    const requests: [string, Fields][] = [
      ["server/discover", {}],
      ["tools/list", {}],
      ["tools/call", { name: "every_content" }],
      ["tools/call", { name: "nobody" }],
    ];
    for (const [method, params] of requests) {
      const answers = await Promise.all(
        clients.map(async (info, id) => {
          const { id: _, ...answer } = await wire.request(method, params, {
            id,
            meta: { [META_CLIENT_INFO]: info },
          });
          return answer;
        }),
      );
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
    }
  },
);
