import { expect } from "vitest";

import { faultsIn } from "../support/faults.ts";
import { isAnswerTo, isNotification, isOf, isRequest, isResponse, type Message } from "../support/message.ts";
import { isModern, META_PROTOCOL_VERSION } from "../support/revisions.ts";
import { EVERYTHING, NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

const SAVE = { name: "save_note", arguments: { title: "secret", text: "text" } };

/** Whether save_note ran for the title that SAVE has. */
async function wasSaved(wire: Wire): Promise<boolean> {
  const { result } = await wire.request("resources/list");
  return JSON.stringify(result).includes("note:///secret");
}

/** One request for every kind of answer that the notes server has, good and bad. */
async function talkAboutEverything(wire: Wire): Promise<readonly Message[]> {
  return [
    await wire.request("tools/list"),
    await wire.request("tools/call", SAVE),
    await wire.request("tools/call", { name: "save_note", arguments: { title: 5 } }),
    await wire.request("tools/call", { name: "delete_note", arguments: { title: "nowhere" } }),
    await wire.request("resources/list"),
    await wire.request("resources/templates/list"),
    await wire.request("resources/read", { uri: "note:///secret" }),
    await wire.request("prompts/list"),
    await wire.request("prompts/get", { name: "summarize_note", arguments: { title: "secret" } }),
    await wire.request("completion/complete", {
      ref: { type: "ref/prompt", name: "summarize_note" },
      argument: { name: "style", value: "h" },
    }),
    await wire.request("tools/call", { name: "nobody" }),
    await wire.request("tools/call", { name: "long\n".repeat(1000) }),
    await wire.request("resources/read", { uri: "note:///nowhere" }),
    await wire.request("prompts/get", { name: "nobody" }),
    await wire.request("nobody/knows"),
    await wire.request("tools/list", { cursor: "made up" }),
  ];
}

verify(
  [
    "base/jsonrpc-member",
    "base/response-result-xor-error",
    "base/error-code-and-message",
    "base/error-message-concise",
  ],
  "results and errors have the shape of JSON-RPC",
  async ({ open }) => {
    const wire = await open();
    const answers = await talkAboutEverything(wire);
    expect(answers.filter((answer) => answer.result)).toHaveLength(10);
    for (const answer of wire.heard.filter(isResponse)) {
      expect(Object.keys(answer).toSorted()).toEqual(
        ["id", "jsonrpc", answer.error ? "error" : "result"].toSorted(),
      );
      expect(answer.jsonrpc).toBe("2.0");
      expect(typeof (answer.error ?? answer.result)).toBe("object");
    }
    const errors = answers.flatMap(({ error }) => error ?? []);
    expect(errors).toHaveLength(6);
    for (const { code, message } of errors) {
      expect(code).toSatisfy(Number.isInteger);
      expect(message).toMatch(/^[^\n]{5,300}$/);
    }
    expect(faultsIn(wire)).toEqual([]);
  },
);

verify(
  "base/response-echoes-id",
  "a response has its request's id, value and type",
  async ({ open, revision }) => {
    const wire = await open({ bare: true });
    const meta = isModern(revision)
      ? { _meta: { [META_PROTOCOL_VERSION]: revision, "io.modelcontextprotocol/clientCapabilities": {} } }
      : {};
    if (!isModern(revision)) {
      await wire.request(
        "initialize",
        { protocolVersion: revision, capabilities: {}, clientInfo: {} },
        { id: "x" },
      );
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "a", version: "1" } };
      expect(await wire.request("initialize", params, { id: "initialize" })).toHaveProperty("result");
    }
    const ids = ["1", 1, "", 0, -5, "ünï \u2028 \n", Number.MAX_SAFE_INTEGER, "__proto__", " 1"];
    for (const id of ids) {
      for (const method of ["tools/list", "nobody/knows"]) {
        wire.send(method, meta, { id });
        expect((await wire.hear(isResponse)).id).toBe(id);
      }
    }
  },
);

verify(
  "base/error-without-readable-id-omits-id",
  "only an error about an unreadable id has none",
  async ({ open }) => {
    const wire = await open();
    for (const unreadable of ["{", '"text"', "[]", '{"jsonrpc":"2.0","id":null,"method":"tools/list"}']) {
      wire.write(`${unreadable}\n`);
      const answer = await wire.hear(isResponse);
      expect(answer).toHaveProperty("error");
      expect(answer).not.toHaveProperty("id");
    }
    for (const readable of [
      { jsonrpc: "2.0", id: 71, method: "tools/list", params: [] },
      { jsonrpc: "2.0", id: 71, method: 5 },
      { jsonrpc: "1.0", id: 71, method: "tools/list" },
      { id: 71, method: "tools/list" },
      { jsonrpc: "2.0", id: 71, method: "nobody/knows", params: { _meta: "odd" } },
    ]) {
      wire.say(readable);
      expect(await wire.hear(isResponse)).toMatchObject({
        id: 71,
        error: { code: expect.any(Number) as number },
      });
    }
  },
);

verify("base/parse-error", "what is no JSON is refused and forgotten", async ({ open }) => {
  const wire = await open();
  const broken = ["{", "not json", '{"jsonrpc":"2.0",}', "{'a':1}", "\u0000", '{"jsonrpc":"2.0"}{}', "nul"];
  for (const line of [...broken.map((text) => Buffer.from(text)), Buffer.from([0x22, 0xff, 0xfe, 0x22])]) {
    wire.write(Buffer.concat([line, Buffer.from("\n")]));
    expect((await wire.hear(isResponse)).error?.code).toBe(-32700);
    expect(await wire.request("tools/list")).toHaveProperty("result");
  }
});

verify("base/invalid-request", "JSON that is no message is refused and not run", async ({ open }) => {
  const wire = await open();
  const { jsonrpc: _, ...unversioned } = { jsonrpc: "2.0", id: 90, method: "tools/call", params: SAVE };
  const values = [
    5,
    "text",
    null,
    true,
    {},
    { jsonrpc: "2.0", id: 90 },
    { jsonrpc: "2.0", id: 90, params: SAVE },
  ];
  const wrongVersions = ["1.0", "2", 2, 2.0, null, ["2.0"]].map((jsonrpc) => ({ ...unversioned, jsonrpc }));
  const wrongMethods = [5, null, ["tools/call"]].map((method) => ({
    ...unversioned,
    jsonrpc: "2.0",
    method,
  }));
  for (const value of [...values, unversioned, ...wrongVersions, ...wrongMethods]) {
    wire.say(value);
    expect((await wire.hear(isResponse)).error?.code, JSON.stringify(value)).toBe(-32600);
  }
  expect(await wasSaved(wire)).toBe(false);
});

verify(
  "base/unknown-method",
  "a method of nobody or of another era is not found",
  async ({ open, revision }) => {
    const wire = await open();
    const legacyOnly = [
      "ping",
      "logging/setLevel",
      "resources/subscribe",
      "resources/unsubscribe",
      "initialize",
    ];
    const modernOnly = ["server/discover", "subscriptions/listen"];
    const nobody = [
      "nobody/knows",
      "",
      "tools",
      "Tools/List",
      "__proto__",
      "constructor",
      "toString",
      "tasks/get",
    ];
    const ours = ["roots/list", "sampling/createMessage", "elicitation/create"];
    for (const method of [...nobody, ...ours, ...(isModern(revision) ? legacyOnly : modernOnly)]) {
      const { error } = await wire.request(method);
      expect(error?.code, method).toBe(-32601);
    }
  },
);

verify(
  "base/invalid-params",
  "params that break a method's schema are refused",
  async ({ open, revision }) => {
    const wire = await open();
    const wrong: [string, Record<string, unknown>][] = [
      ["tools/call", {}],
      ["tools/call", { name: 5 }],
      ["tools/call", { name: "save_note", arguments: [] }],
      ["tools/call", { name: "save_note", arguments: "title" }],
      ["tools/list", { cursor: 5 }],
      ["resources/read", {}],
      ["resources/read", { uri: ["note:///"] }],
      ["prompts/get", { name: null }],
      ["prompts/get", { name: "summarize_note", arguments: "welcome" }],
      ["completion/complete", { ref: 5, argument: { name: "style", value: "" } }],
      ["tools/list", { _meta: { progressToken: {} } }],
      ...(isModern(revision)
        ? ([["subscriptions/listen", {}]] as [string, Record<string, unknown>][])
        : ([["logging/setLevel", { level: 5 }]] as [string, Record<string, unknown>][])),
    ];
    for (const [method, params] of wrong) {
      const { error } = await wire.request(method, params);
      expect(error?.code, `${method} ${JSON.stringify(params)}`).toBe(-32602);
    }
    for (const params of [[], "text", 5, null]) {
      wire.say({ jsonrpc: "2.0", id: 80, method: "tools/list", params });
      expect(await wire.hear(isAnswerTo(80))).toMatchObject({ error: { code: -32602 } });
    }
  },
);

verify("base/unusable-request-id-refused", "a request with an impossible id is not run", async ({ open }) => {
  const wire = await open();
  for (const id of ["null", "true", "1.5", "[]", "[1]", "{}", "1e300"]) {
    wire.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(SAVE)}}\n`);
    const answer = await wire.hear(isResponse);
    expect(answer.error?.code).toBe(-32600);
    expect(answer).not.toHaveProperty("id");
  }
  expect(await wasSaved(wire)).toBe(false);
});

verify("base/own-request-ids", "every question of the server has a new id", async ({ open }) => {
  const wire = await open({ server: EVERYTHING, capabilities: { roots: {} } });
  wire.answer("roots/list", () => ({ roots: [] }));
  await wire.request("tools/call", { name: "list_roots" });
  await Promise.all([1, 2, 3].map(() => wire.request("tools/call", { name: "list_roots" })));
  await wire.request("tools/call", { name: "list_roots" }, { id: 1000 });
  const ids = wire.heard.filter(isRequest).map(({ id }) => id);
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(5);
  for (const id of ids) expect(typeof id === "string" || Number.isInteger(id)).toBe(true);
});

verify("base/notification-not-answered", "no notification gets an answer", async ({ open }) => {
  const wire = await open();
  const before = wire.heard.length;
  for (const method of ["notifications/unknown", "tools/list", "initialize", "__proto__", "", "ping"]) {
    wire.notify(method, { name: "nobody" });
  }
  wire.notify("tools/call", SAVE);
  for (const params of [[], "text", 5, null])
    wire.say({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  wire.notify("notifications/progress", { progressToken: {}, progress: "half" });
  wire.notify("notifications/initialized", { unexpected: true });
  // Messages are served in order: what was to come would have come before this answer.
  const { result } = await wire.request("tools/list");
  expect(result).toHaveProperty("tools");
  expect(wire.heard.slice(before)).toHaveLength(1);
  expect(await wasSaved(wire)).toBe(false);
});

verify(
  "base/notification-without-id",
  "notifications of the server have no id",
  async ({ open, revision }) => {
    const wire = await open();
    if (isModern(revision)) {
      wire.send("subscriptions/listen", {
        notifications: { resourcesListChanged: true, resourceSubscriptions: ["note:///secret"] },
      });
    } else await wire.request("resources/subscribe", { uri: "note:///secret" });
    const meta = { "io.modelcontextprotocol/logLevel": "debug" };
    await wire.request("tools/call", SAVE, isModern(revision) ? { meta } : {});
    await wire.hear(isOf("notifications/resources/list_changed"));
    const heard = wire.heard.filter(({ method }) => method !== undefined);
    expect(new Set(heard.map(({ method }) => method))).toEqual(
      new Set([
        ...(isModern(revision) ? ["notifications/subscriptions/acknowledged"] : []),
        "notifications/message",
        "notifications/resources/updated",
        "notifications/resources/list_changed",
      ]),
    );
    for (const message of heard) expect(message).not.toHaveProperty("id");
  },
);

verify("base/no-server-requests", "the server asks within results, never by requests", async ({ open }) => {
  const capabilities = { elicitation: {}, roots: { listChanged: true }, sampling: {} };
  const wire = await open({ server: EVERYTHING, capabilities });
  for (const name of ["ask_form", "ask_side_by_side", "list_roots", "sample_blocks"]) {
    const { result } = await wire.request("tools/call", { name });
    expect(result?.["resultType"], name).toBe("input_required");
  }
  const meta = { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" };
  await wire.request("tools/call", { name: "progress", arguments: { steps: 2 } }, { meta });
  await wire.request("tools/call", { name: "log_every_level" }, { meta });
  expect(wire.heard.filter(isNotification).length).toBeGreaterThan(0);
  expect(wire.heard.filter((message) => !isNotification(message) && !isResponse(message))).toEqual([]);
});

verify(
  ["base/result-type-present", "base/result-type-known"],
  "every result says whether it is complete",
  async ({ open }) => {
    const notes = await open({ server: NOTES, capabilities: { elicitation: {} } });
    await notes.request("server/discover");
    await talkAboutEverything(notes);
    const listening = notes.send("subscriptions/listen", { notifications: {} });
    const question = await notes.request("tools/call", {
      name: "delete_note",
      arguments: { title: "secret" },
    });
    await notes.end();
    expect(await notes.hear(isAnswerTo(listening))).toHaveProperty("result");
    const types = notes.heard.flatMap(({ result }) => (result ? [result["resultType"]] : []));
    expect(types).toHaveLength(13);
    expect(question.result?.["resultType"]).toBe("input_required");
    expect(types.filter((type) => type === "complete")).toHaveLength(12);
  },
);
