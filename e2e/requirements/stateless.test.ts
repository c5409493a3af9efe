import { isAnswerTo, isModern, META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION } from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import { verify } from "./verify.ts";

verify(
  "stateless/version-and-identity-not-remembered",
  "each request speaks for itself",
  async ({ shared }) => {
    const wire = await shared(NOTES);
    expect(await wire.request("server/discover")).toHaveProperty("result");
    expect(await wire.request("tools/list")).toHaveProperty("result");
    for (const meta of [{ [META_PROTOCOL_VERSION]: undefined }, { [META_CLIENT_CAPABILITIES]: undefined }]) {
      expect(await wire.request("tools/list", {}, { meta })).toMatchObject({ error: { code: -32602 } });
    }
    expect(await wire.request("tools/list")).toHaveProperty("result");
  },
);

verify("stateless/interleaved-conversations", "nobody waits for anybody else", async ({ open }) => {
  const wire = await open({ capabilities: { elicitation: {} } });
  const slow = wire.send("tools/call", { name: "slow", arguments: { ms: 400 } });
  const listening = wire.send("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const question = await wire.request("tools/call", { name: "ask_twice", arguments: { topic: "tea" } });
  const echoes = await Promise.all(
    ["one", "two", "three"].map((text) =>
      wire.request("tools/call", { name: "Echo.text-1", arguments: { text } }),
    ),
  );
  expect(echoes).toMatchObject(["one", "two", "three"].map((text) => ({ result: { content: [{ text }] } })));
  expect(question).toMatchObject({ result: { resultType: "input_required" } });
  expect(wire.heard.some(isAnswerTo(slow))).toBe(false);
  expect(await wire.hear(isAnswerTo(slow))).toMatchObject({
    result: { content: [{ text: "waited 400 ms" }] },
  });
  expect(wire.heard.some(isAnswerTo(listening))).toBe(false);
});

verify("stateless/no-connection-affinity", "a conversation goes on in another process", async ({ open }) => {
  const options = {
    capabilities: { elicitation: {} },
    env: { REQUEST_STATE_SECRET: "shared by all processes of one service" },
  };
  const params = { name: "ask_twice", arguments: { topic: "tea" } };
  let state: object = {};
  for (const word of [undefined, "green", "hot"]) {
    const wire = await open(options);
    const inputResponses = { "elicitation/create#1": { action: "accept", content: { word } } };
    const second = { "elicitation/create#2": { action: "accept", content: { word } } };
    const answers = word === undefined ? {} : { inputResponses: word === "hot" ? second : inputResponses };
    const { result } = await wire.request("tools/call", { ...params, ...answers, ...state });
    if (word === "hot") expect(result?.["content"]).toEqual([{ type: "text", text: "green hot" }]);
    else expect(result?.["resultType"]).toBe("input_required");
    state = { requestState: result?.["requestState"] };
    await wire.kill();
  }
});

verify(
  "versioning/unsupported-version-error",
  "an unknown version is answered with the known ones",
  async ({ shared }) => {
    const wire = await shared(NOTES);
    for (const requested of ["1999-01-01", "2099-01-01", "2026-07-29", "nonsense", "", "2025-11-25"]) {
      for (const method of ["tools/list", "server/discover", "initialize"]) {
        const meta = { [META_PROTOCOL_VERSION]: requested };
        const { error } = await wire.request(method, {}, { meta });
        const supported = expect.arrayContaining(["2026-07-28"]) as string[];
        expect(error).toMatchObject({ code: -32022, data: { requested, supported } });
      }
    }
  },
);

verify(
  ["versioning/discover-implemented", "versioning/discover-names-server"],
  "discover tells all, and may come first",
  async ({ open, revision }) => {
    const wire = await open({ server: NOTES });
    const { result } = await wire.request("server/discover");
    expect(result).toMatchObject({
      supportedVersions: expect.arrayContaining([revision]) as string[],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      _meta: {
        "io.modelcontextprotocol/serverInfo": { name: "notes", version: expect.any(String) as string },
      },
    });
    for (const version of (result?.["supportedVersions"] ?? []) as string[])
      expect(version).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  },
);

verify("versioning/dual-era-selection", "both eras are served by one process", async ({ open, revision }) => {
  const wire = await open({ server: NOTES, bare: true });
  const modern = { [META_PROTOCOL_VERSION]: "2026-07-28", [META_CLIENT_CAPABILITIES]: {} };
  const legacy = isModern(revision) ? "2025-11-25" : revision;
  const initialize = async (): Promise<void> => {
    const params = { protocolVersion: legacy, capabilities: {}, clientInfo: { name: "a", version: "1" } };
    expect(await wire.request("initialize", params)).toMatchObject({ result: { protocolVersion: legacy } });
    wire.notify("notifications/initialized");
  };
  if (!isModern(revision)) await initialize();
  expect(await wire.request("tools/list", {}, { meta: modern })).toHaveProperty(
    "result.resultType",
    "complete",
  );
  if (isModern(revision)) {
    expect(await wire.request("server/discover", {}, { meta: modern })).toHaveProperty(
      "result.supportedVersions",
    );
    expect(await wire.request("tools/list")).toMatchObject({ error: { code: -32602 } });
    await initialize();
  }
  const { result } = await wire.request("tools/list");
  expect(result).toHaveProperty("tools");
  expect(result).not.toHaveProperty("resultType");
  expect(await wire.request("ping")).toHaveProperty("result", {});
  expect(await wire.request("ping", {}, { meta: modern })).toMatchObject({ error: { code: -32601 } });
  expect(await wire.request("tools/list", {}, { meta: modern })).toHaveProperty(
    "result.resultType",
    "complete",
  );
});

const EXTENSION =
  /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9._-]+$/;

verify("versioning/extension-identifiers", "extensions have prefixed names", async ({ shared }) => {
  for (const wire of [await shared(NOTES), await shared()]) {
    const { result } = await wire.request("server/discover");
    const { extensions = {} } = (result?.["capabilities"] ?? {}) as { extensions?: object };
    expect(result).toHaveProperty("capabilities.tools");
    expect(Object.keys(extensions).filter((name) => !EXTENSION.test(name))).toEqual([]);
  }
});

verify(
  "versioning/extension-fallback",
  "extensions are neither needed nor used unasked",
  async ({ shared }) => {
    const wire = await shared();
    const extensions = { "io.modelcontextprotocol/tasks": {}, "org.example/odd": { deep: [1] } };
    const slow = { name: "slow", arguments: { ms: 20 } };
    const plain = await wire.request("tools/call", slow, { id: "x" });
    expect(plain).toMatchObject({ result: { resultType: "complete", content: [{ text: "waited 20 ms" }] } });
    expect(await wire.request("tools/call", { ...slow, task: { ttl: 1000 } }, { id: "x" })).toEqual(plain);
    const meta = { [META_CLIENT_CAPABILITIES]: { extensions } };
    expect(await wire.request("tools/call", slow, { id: "x", meta })).toEqual(plain);
    expect(await wire.request("tasks/get", { taskId: "1" })).toMatchObject({ error: { code: -32601 } });
  },
);
