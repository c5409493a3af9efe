import { isAnswerTo, isModern, isRequest, isResponse } from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import { SAVE, wasSaved } from "./notes-talk.ts";
import { verify } from "./verify.ts";

verify(
  "base/unknown-method",
  "a method of nobody or of another era is not found",
  async ({ shared, revision }) => {
    const wire = await shared(NOTES);
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
      "tools/list ",
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
  async ({ shared, revision }) => {
    const wire = await shared(NOTES);
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
      ["tools/list", { _meta: { progressToken: 1.5 } }],
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
  const wire = await open({ server: NOTES });
  for (const id of ["null", "true", "1.5", "[]", "[1]", "{}", "1e300"]) {
    wire.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(SAVE)}}\n`);
    const answer = await wire.hear(isResponse);
    expect(answer.error?.code).toBe(-32600);
    expect(answer).not.toHaveProperty("id");
  }
  expect(await wasSaved(wire)).toBe(false);
});

verify("base/own-request-ids", "every question of the server has a new id", async ({ open }) => {
  const wire = await open({ capabilities: { roots: {} } });
  wire.answer("roots/list", () => ({ roots: [] }));
  await wire.request("tools/call", { name: "list_roots" });
  await Promise.all([1, 2, 3].map(() => wire.request("tools/call", { name: "list_roots" })));
  await wire.request("tools/call", { name: "list_roots" }, { id: 1000 });
  const ids = wire.heard.filter(isRequest).map(({ id }) => id);
  expect(ids).toHaveLength(5);
  expect(new Set(ids).size).toBe(5);
  for (const id of ids) expect(typeof id === "string" || Number.isInteger(id)).toBe(true);
});
