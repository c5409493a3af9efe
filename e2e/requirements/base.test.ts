import { faultsIn } from "@suite/check";
import {
  isAnswerTo,
  isModern,
  isNotification,
  isOf,
  isResponse,
  META_PROTOCOL_VERSION,
} from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import { SAVE, talkAboutEverything, wasSaved } from "./notes-talk.ts";
import { verify } from "./verify.ts";

verify(
  [
    "base/jsonrpc-member",
    "base/response-result-xor-error",
    "base/error-code-and-message",
    "base/error-message-concise",
  ],
  "results and errors have the shape of JSON-RPC",
  async ({ open }) => {
    const wire = await open({ server: NOTES });
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
    const wire = await open({ server: NOTES, bare: true });
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
    const wire = await open({ server: NOTES });
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
  const wire = await open({ server: NOTES });
  const broken = ["{", "not json", '{"jsonrpc":"2.0",}', "{'a':1}", "\u0000", '{"jsonrpc":"2.0"}{}', "nul"];
  for (const line of [...broken.map((text) => Buffer.from(text)), Buffer.from([0x22, 0xff, 0xfe, 0x22])]) {
    wire.write(Buffer.concat([line, Buffer.from("\n")]));
    expect((await wire.hear(isResponse)).error?.code).toBe(-32700);
    expect(await wire.request("tools/list")).toHaveProperty("result");
  }
});

verify("base/invalid-request", "JSON that is no message is refused and not run", async ({ open }) => {
  const wire = await open({ server: NOTES });
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

verify("base/notification-not-answered", "no notification gets an answer", async ({ open }) => {
  const wire = await open({ server: NOTES });
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
    const wire = await open({ server: NOTES });
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
  const wire = await open({ capabilities });
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
