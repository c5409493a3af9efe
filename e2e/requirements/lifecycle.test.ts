import { isAnswerTo, isNotification, isOf, isRequest, isResponse } from "@suite/check/wires";
import { expect } from "vitest";

import { EVERYTHING, NOTES, TOOLS_ONLY } from "../support/servers.ts";
import { verify, type VerifyContext } from "./verify.ts";

const CLIENT = { capabilities: {}, clientInfo: { name: "a", version: "1" } };
const NEWEST_LEGACY = "2025-11-25";

verify(
  ["lifecycle/initialize-result", "lifecycle/same-version-if-supported"],
  "initialize is answered in the revision that was asked for",
  async ({ open, revision }) => {
    for (const server of [NOTES, EVERYTHING]) {
      const wire = await open({ server, bare: true });
      const { result } = await wire.request("initialize", { ...CLIENT, protocolVersion: revision });
      expect(result).toMatchObject({
        protocolVersion: revision,
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true },
          prompts: {},
          logging: {},
        },
        serverInfo: { name: expect.any(String) as string, version: expect.any(String) as string },
      });
    }
  },
);

verify("lifecycle/initialize-first", "before initialize only ping is served", async ({ open, revision }) => {
  const wire = await open({ server: NOTES, bare: true });
  const save = { name: "save_note", arguments: { title: "early", text: "" } };
  for (const method of ["tools/list", "resources/list", "prompts/list", "logging/setLevel", "nobody/knows"]) {
    expect(await wire.request(method)).toHaveProperty("error.code");
  }
  expect(await wire.request("tools/call", save)).toHaveProperty("error.code");
  wire.notify("notifications/initialized");
  expect(await wire.request("tools/list")).toHaveProperty("error.code");
  expect(await wire.request("ping")).toHaveProperty("result", {});
  expect(await wire.request("initialize", { ...CLIENT, protocolVersion: revision })).toHaveProperty("result");
  wire.notify("notifications/initialized");
  const { result } = await wire.request("resources/list");
  expect(result).toHaveProperty("resources");
  expect(JSON.stringify(result)).not.toContain("early");
});

verify(
  ["lifecycle/other-version-if-unsupported", "lifecycle/latest-version-offered"],
  "an unknown version is answered with the newest of the era",
  async ({ open, revision }) => {
    for (const protocolVersion of [
      `${revision}-draft`,
      "1999-01-01",
      "2099-12-31",
      "2026-07-28",
      "",
      "__proto__",
    ]) {
      const wire = await open({ server: NOTES, bare: true });
      const answer = await wire.request("initialize", { ...CLIENT, protocolVersion });
      expect(answer).toMatchObject({ result: { protocolVersion: NEWEST_LEGACY } });
      wire.notify("notifications/initialized");
      expect(await wire.request("tools/list")).toHaveProperty("result.tools.0.title");
      await wire.kill();
    }
  },
);

verify(
  "lifecycle/quiet-before-initialized",
  "until the client is ready it is left alone",
  async ({ open, revision }) => {
    const wire = await open({ bare: true });
    const capabilities = { roots: {}, sampling: {}, elicitation: {} };
    await wire.request("initialize", { ...CLIENT, capabilities, protocolVersion: revision });
    for (const name of ["list_roots", "sample_blocks", "ask_form", "add_tool", "log_every_level"]) {
      const { result } = await wire.request("tools/call", { name });
      expect(result?.["isError"], name).toBe(/list|sample|ask/.test(name) ? true : undefined);
    }
    await wire.quiet(50);
    const own = wire.heard.filter((message) => !isResponse(message) && message.method !== "ping");
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((message) => message.method !== "notifications/message")).toEqual([]);
    // Not for ever: once it is ready the same question is asked.
    wire.notify("notifications/initialized");
    wire.send("tools/call", { name: "list_roots" });
    expect(await wire.hear(isOf("roots/list"))).toHaveProperty("id");
  },
);

/** Everything that some revision added, in one session; verify() looks for strangers in every message of it. */
async function speaksItsRevision({ open, revision }: VerifyContext): Promise<void> {
  const capabilities = { roots: {}, sampling: { tools: {} }, elicitation: { form: {}, url: {} } };
  const wire = await open({ capabilities });
  wire.answer("roots/list", () => ({ roots: [] }));
  wire.answer("elicitation/create", () => ({ action: "decline" }));
  wire.answer("sampling/createMessage", () => ({
    role: "assistant",
    model: "m",
    content: {
      type: "text",
      text: "Hi",
    },
  }));
  const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
  for (const method of lists) {
    for (let cursor: unknown; ;) {
      const { result } = await wire.request(method, cursor === undefined ? {} : { cursor });
      cursor = result?.["nextCursor"];
      if (cursor === undefined) break;
    }
  }
  const outputs = ["object_output", "array_output", "primitive_output", "null_output", "failed_output"];
  const questions = [
    "ask_form",
    "ask_choices",
    "ask_url",
    "sample_blocks",
    "sample_with_context",
    "list_roots",
  ];
  for (const name of ["every_content", "reply_in_full", ...outputs, ...questions, "log_every_level"]) {
    await wire.request("tools/call", { name });
  }
  const meta = { progressToken: 1 };
  await wire.request("tools/call", { name: "progress", arguments: { steps: 3 } }, { meta });
  for (const uri of ["demo:///text", "demo:///several"]) await wire.request("resources/read", { uri });
  await wire.request("prompts/get", { name: "every_content" });
  const tools = wire.heard.flatMap(({ result }) => (result?.["tools"] ?? []) as { name: string }[]);
  const every = tools.find(({ name }) => name === "every_content") ?? {};
  // Proof that there is something to hide.
  expect("annotations" in every).toBe(revision >= "2025-03-26");
  expect("title" in every).toBe(revision >= "2025-06-18");
  expect("icons" in every).toBe(revision >= "2025-11-25");
  expect(wire.heard.some(isOf("elicitation/create"))).toBe(revision >= "2025-06-18");
  expect(wire.heard.some(({ params }) => params?.["mode"] === "url")).toBe(revision >= "2025-11-25");
  expect(wire.heard.some(({ params }) => params && "total" in params && "message" in params)).toBe(
    revision >= "2025-03-26",
  );
}

verify("lifecycle/respects-negotiated-version", "nothing newer is ever said", speaksItsRevision);
verify("lifecycle/respects-negotiated-version-recommended", "nothing newer is ever said", speaksItsRevision);

async function keepsToCapabilities({ open, revision }: VerifyContext): Promise<void> {
  const capable = await open({ capabilities: { roots: {} } });
  for (const name of ["ask_form", "ask_url", "sample_blocks", "sample_with_tools"]) {
    expect(await capable.request("tools/call", { name })).toHaveProperty("result.isError", true);
  }
  expect(capable.heard.filter(isRequest)).toEqual([]);
  capable.answer("roots/list", () => ({ roots: [] }));
  expect(await capable.request("tools/call", { name: "list_roots" })).toMatchObject({
    result: { content: [{ text: "no roots" }] },
  });
  const limited = await open({ server: TOOLS_ONLY });
  const missing = ["resources/list", "resources/read", "resources/templates/list", "resources/subscribe"];
  for (const method of [...missing, "prompts/list", "prompts/get", "completion/complete"]) {
    expect(await limited.request(method, { uri: "x", name: "x" }), method).toMatchObject({
      error: { code: -32601 },
    });
  }
  const declared = Object.keys(limited.heard[0]?.result?.["capabilities"] as object).toSorted();
  expect(declared, revision).toEqual(["logging", "tools"]);
}

verify("lifecycle/only-negotiated-capabilities", "what was not declared is not used", keepsToCapabilities);
verify(
  "lifecycle/only-negotiated-capabilities-recommended",
  "what was not declared is not used",
  keepsToCapabilities,
);

verify(
  "lifecycle/negotiation-failures-handled",
  "a failed initialize can be repeated",
  async ({ open, revision }) => {
    const wire = await open({ server: NOTES, bare: true });
    const good = { ...CLIENT, protocolVersion: revision };
    const failures = [
      {},
      { ...good, protocolVersion: undefined },
      { ...good, protocolVersion: 20_251_125 },
      { ...good, capabilities: undefined },
      { ...good, capabilities: "all" },
      { ...good, clientInfo: "me" },
    ];
    for (const params of failures) {
      const { error } = await wire.request("initialize", params);
      expect(error?.code, JSON.stringify(params)).toBe(-32602);
    }
    expect(await wire.request("initialize", good)).toHaveProperty("result.protocolVersion", revision);
    wire.notify("notifications/initialized");
    expect(await wire.request("tools/list")).toHaveProperty("result.tools");
  },
);

verify("lifecycle/own-requests-time-out", "an unanswered question ends", async ({ open }) => {
  const wire = await open({ capabilities: { roots: {} } });
  const { result } = await wire.request("tools/call", { name: "impatient", arguments: { ms: 50 } });
  expect(wire.heard.filter(isOf("roots/list"))).toHaveLength(1);
  expect(result).toMatchObject({ content: [{ text: "gave up: TimeoutError" }] });
});

verify("lifecycle/timeout-cancels", "a question given up is cancelled", async ({ open }) => {
  const wire = await open({ capabilities: { roots: {} } });
  const asking = wire.send("tools/call", { name: "impatient", arguments: { ms: 50 } });
  const question = await wire.hear(isOf("roots/list"));
  const cancelled = await wire.hear(isOf("notifications/cancelled"));
  expect(cancelled.params).toMatchObject({ requestId: question.id });
  expect(await wire.hear(isAnswerTo(asking))).toMatchObject({
    result: { content: [{ text: "gave up: TimeoutError" }] },
  });
});

verify("lifecycle/maximum-timeout", "progress does not buy time without end", async ({ open }) => {
  const wire = await open({ capabilities: { roots: {} } });
  const asking = wire.send("tools/call", { name: "impatient", arguments: { ms: 200 } });
  const { id, params } = await wire.hear(isOf("roots/list"));
  const { progressToken = id } = (params?.["_meta"] ?? {}) as { progressToken?: unknown };
  let progress = 0;
  const tick = (): void => wire.notify("notifications/progress", { progressToken, progress: ++progress });
  tick();
  const ticking = setInterval(tick, 40);
  const { result } = await wire.hear(isAnswerTo(asking)).finally(() => clearInterval(ticking));
  expect(result).toMatchObject({ content: [{ text: "gave up: TimeoutError" }] });
});

verify("tasks/not-declared", "there are no tasks", async ({ open }) => {
  const wire = await open();
  expect(wire.heard[0]?.result?.["capabilities"]).not.toHaveProperty("tasks");
  const slow = { name: "slow", arguments: { ms: 20 } };
  const { result } = await wire.request("tools/call", { ...slow, task: { ttl: 60_000 } });
  expect(result).toEqual({ content: [{ type: "text", text: "waited 20 ms" }] });
  for (const method of ["tasks/list", "tasks/get", "tasks/result", "tasks/cancel"]) {
    expect(await wire.request(method, { taskId: "1" })).toMatchObject({ error: { code: -32601 } });
  }
  const { result: listed } = await wire.request("tools/list");
  expect(listed).toHaveProperty("tools.0");
  expect(JSON.stringify(listed)).not.toContain('"execution"');
  expect(wire.heard.filter(isNotification)).toEqual([]);
});
