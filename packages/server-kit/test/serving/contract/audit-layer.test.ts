import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { definePrompt, defineResource, type Params, type Server } from "@suite/core";
import { MemoryStore, Replica } from "@suite/replicas";
import { openLine, type Line } from "@suite/core/testing";
import { afterAll, describe, expect, it } from "vitest";

import { type AuditEntry, type AuditLog, openAuditLog } from "../../../src/serving/contract/audit.ts";
import { AuditLayer } from "../../../src/serving/contract/audit-layer.ts";
import type { ContractSettings } from "../../../src/serving/contract/settings.ts";
import type { ToolDefinition } from "../../../src/serving/contract/tool.ts";
import { Fault } from "../../../src/domain/errors/fault.ts";
import {
  callOn,
  Gate,
  hidePlanted,
  LAST_LEGACY,
  MODERN,
  PLANTED,
  serverOf,
  textOf,
  toolThat,
} from "./sample.ts";

const folder = mkdtempSync(join(tmpdir(), "suite-auditing-"));
afterAll(() => rmSync(folder, { recursive: true }));

const tool = toolThat(
  ({ name = "" }) => {
    if (name === "missing") throw new Fault("not_found", "It is not there.");
    if (name === "broken") throw new Error("oops");
    return { said: name };
  },
  { effects: "destructive", aliases: { dry_run: ["dryRun"] } },
);

/** Without a server or a file. */
function createLayer(): { readonly auditing: AuditLayer; readonly written: readonly AuditEntry[] } {
  const written: AuditEntry[] = [];
  const log: AuditLog = { record: (entry) => void written.push(entry), close: () => undefined };
  const settings = { redact: <Data>(data: Data): Data => data, report: () => expect.unreachable() };
  return { auditing: new AuditLayer(log, "sample 1", settings), written };
}

let files = 0;

interface Rig {
  readonly line: Line;
  readonly server: Server;
  readonly entries: () => AuditEntry[];
}

async function open(
  tools: readonly ToolDefinition[] = [tool],
  contract: Partial<ContractSettings> = {},
  revision: string = LAST_LEGACY,
): Promise<Rig> {
  const file = join(folder, `${(files += 1)}.jsonl`);
  const server = serverOf(
    tools,
    { audit: openAuditLog(file), ...contract },
    {
      resources: [
        defineResource({
          uri: "note://1",
          name: "note",
          read: () => "note",
          subscribe: () => () => undefined,
        }),
        defineResource({
          uri: "note://3",
          name: "note on a full disk",
          read: () => "note",
          subscribe: () => {
            throw new Error("nothing can be watched");
          },
        }),
      ],
      admitSubscriber: (uri) => {
        if (uri === "note://2") throw new Fault("permission_denied", "It is not yours.");
      },
      prompts: [definePrompt({ name: "greet", description: "…", render: () => "Hello" })],
    },
  );
  const line = await openLine(server, { revision, capabilities: { elicitation: { form: {} } } });
  const entries = (): AuditEntry[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((text) => text !== "")
      .map((text) => JSON.parse(text) as AuditEntry);
  return { line, server, entries };
}

describe("one line for each call", () => {
  it("says when, what, who, how long, how much, and what came of it", async () => {
    const { line, entries } = await open();
    const before = Date.now();
    const result = await callOn(line, { name: "a" });
    const [entry, ...rest] = entries();
    expect(rest).toEqual([]);
    expect(entry).toEqual({
      time: expect.any(String) as string,
      method: "tools/call",
      name: "say",
      arguments: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      requestId: 2,
      outcome: "ok",
      durationMs: expect.any(Number) as number,
      bytes: Buffer.byteLength(JSON.stringify(result)),
      server: "sample 1.2.3",
    });
    expect(Date.parse(entry?.time ?? "")).toBeGreaterThanOrEqual(before);
  });

  it("tells calls with the same arguments from others, and shows none", async () => {
    const { line, entries } = await open();
    const same = [
      { name: "a", count: 1 },
      { count: 1, name: "a" },
      { count: "1", name: "a" },
    ];
    for (const args of [...same, { name: "b" }]) await callOn(line, args);
    const [first, ...others] = entries().map((entry) => entry.arguments);
    expect(others).toEqual([first, first, expect.not.stringMatching(`^${first}$`)]);
  });

  it.each<[Params, string]>([
    [{ name: "missing" }, "not_found"],
    [{ name: "broken" }, "internal"],
    [{ name: 7 }, "invalid_input"],
  ])("for %j says %s", async (args, outcome) => {
    const { line, entries } = await open();
    await callOn(line, args);
    expect(entries()).toMatchObject([{ outcome }]);
  });

  it("for a tool that is not there, or not offered", async () => {
    const { line, entries } = await open([tool], { readOnly: true });
    await line.request("tools/call", { name: "x".repeat(10_000) });
    await line.request("tools/call", { name: "say" });
    expect(entries()).toMatchObject([
      { name: "x".repeat(500), outcome: "not_found", bytes: 0 },
      { name: "say", outcome: "permission_denied", bytes: 0 },
    ]);
  });

  it("for resources and prompts, and none for lists", async () => {
    const { line, entries } = await open();
    for (const [method, params] of [
      ["tools/list", {}],
      ["resources/list", {}],
      ["resources/read", { uri: "note://1" }],
      ["resources/read", { uri: "note://2" }],
      ["prompts/list", {}],
      ["prompts/get", { name: "greet" }],
      ["ping", {}],
    ] as const) {
      await line.request(method, params);
    }
    expect(entries()).toMatchObject([
      { method: "resources/read", name: "note://1", outcome: "ok" },
      { method: "resources/read", name: "note://2", outcome: "not_found" },
      { method: "prompts/get", name: "greet", outcome: "ok" },
    ]);
  });

  it("for whoever listens, as soon as it does, and for whoever may not", async () => {
    const { line, entries } = await open([tool], {}, MODERN);
    for (const uris of [["note://1", "note://2", "note://3"], ["note://2"], [7], ["note://3"]]) {
      line.begin("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
      await line.hear();
    }
    expect(entries()).toMatchObject([
      { method: "subscriptions/listen", name: "note://1", outcome: "ok", requestId: 1 },
      { method: "subscriptions/listen", name: "note://2", outcome: "permission_denied", requestId: 1 },
      { method: "subscriptions/listen", name: "note://2", outcome: "permission_denied", requestId: 2 },
      { method: "subscriptions/listen", outcome: "invalid_input", requestId: 3 },
      { method: "subscriptions/listen", name: "note://3", outcome: "internal", requestId: 4 },
    ]);
  });

  it("for whoever listens, not before it does: what replicas share may be away", async () => {
    const never = new Promise<never>(() => undefined);
    const store = Object.assign(new MemoryStore(), { last: () => never });
    const { line, entries } = await open([tool], { replica: new Replica(store) }, MODERN);
    line.begin("subscriptions/listen", { notifications: { resourceSubscriptions: ["note://1"] } });
    await line.request("server/discover", {});
    expect(entries()).toEqual([]);
  });

  it("is no longer for a long id", async () => {
    const { line, entries } = await open();
    const id = "x".repeat(10_000);
    line.say({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "say" } });
    await line.hear();
    expect(entries()).toMatchObject([{ requestId: "x".repeat(500), outcome: "ok" }]);
  });

  it("says that it was a dry run", async () => {
    const { line, entries } = await open();
    for (const args of [{ dry_run: true }, { dry_run: false }, { dryRun: true }, { dry_run: "true" }])
      await callOn(line, args);
    expect(entries().map(({ dryRun }) => dryRun)).toEqual([true, undefined, true, true]);
  });

  it("for each round of a call that asks", async () => {
    const { line, entries } = await open([tool], { confirm: true }, MODERN);
    const { requestState } = await callOn(line);
    const inputResponses = { "dev.suite/confirm": { action: "accept", content: { confirm: true } } };
    await callOn(line, {}, {}, { requestState, inputResponses });
    expect(entries()).toMatchObject([{ outcome: "input_required" }, { outcome: "ok" }]);
  });

  it("however deep its arguments are nested", () => {
    const { auditing, written } = createLayer();
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`) as Params;
    const call = { method: "tools/call", name: "say", arguments: deep, context: { requestId: 1, meta: {} } };
    void auditing.run(call as never, () => ({}));
    expect(written).toMatchObject([{ name: "say", outcome: "ok" }]);
    expect(written[0]).not.toHaveProperty("arguments");
  });
});

describe("the trace of a call", () => {
  const id = "4bf92f3577b34da6a3ce929d0e0e4736";

  it.each<[unknown, string | undefined]>([
    [`00-${id}-00f067aa0ba902b7-01`, id],
    [`01-${id}-00f067aa0ba902b7-01-more`, id],
    [`ff-${id}-00f067aa0ba902b7-01`, undefined],
    [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, undefined],
    [`00-${id}-${"0".repeat(16)}-01`, undefined],
    [`00-${id.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
    ["nonsense", undefined],
    [7, undefined],
  ])("%j is %s", async (traceparent, traceId) => {
    const { line, entries } = await open();
    await callOn(line, {}, { traceparent });
    expect(entries().map((entry) => entry.traceId)).toEqual([traceId]);
  });
});

it("secrets are in no line", async () => {
  const { line, entries } = await open([tool], { redact: hidePlanted });
  await line.request("tools/call", { name: PLANTED });
  await line.request("resources/read", { uri: `note://${PLANTED}` });
  expect(entries().map(({ name }) => name)).toEqual(["[hidden]", "note://[hidden]"]);
});

describe("calls that the server's end cuts short", () => {
  it("have no other when they end after it", async () => {
    const { auditing, written } = createLayer();
    const gate = new Gate();
    const call = { method: "tools/call", name: "say", context: { requestId: 9, meta: {} } };
    const ended = auditing.run(call as never, async () => (await gate.opened, {}));
    auditing.close();
    gate.open();
    await ended;
    expect(written).toMatchObject([{ requestId: 9, outcome: "cancelled" }]);
  });

  it("have a line of their own", async () => {
    const gate = new Gate();
    const started = new Gate();
    const slow = toolThat(async () => (started.open(), await gate.opened, { said: "late" }));
    const { line, server, entries } = await open([slow]);
    line.say({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "say" } });
    await started.opened;
    await server.dispose();
    gate.open();
    expect(entries()).toMatchObject([{ requestId: 9, outcome: "cancelled" }]);
  });
});

describe("a log that cannot be written", () => {
  it("breaks no call, and is reported once until it works again", async () => {
    const reported: unknown[] = [];
    const written: AuditEntry[] = [];
    let isFull = true;
    const audit: AuditLog = {
      record(entry) {
        if (isFull) throw new Error("ENOSPC: no space left on device, write");
        written.push(entry);
      },
      close: () => undefined,
    };
    const { line } = await open([tool], { audit, report: (thrown) => void reported.push(String(thrown)) });
    const say = async (): Promise<string> => textOf(await callOn(line, { name: "a" }));
    expect([await say(), await say()]).toEqual(["a", "a"]);
    isFull = false;
    expect(await say()).toBe("a");
    isFull = true;
    expect([await say(), await say()]).toEqual(["a", "a"]);
    expect(written).toHaveLength(1);
    const words =
      "Error: Calls are missing from the audit log: Error: ENOSPC: no space left on device, write";
    expect(reported).toEqual([words, words]);
  });
});
