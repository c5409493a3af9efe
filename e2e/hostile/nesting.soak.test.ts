import type { Message } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { EVERYTHING, NOTES } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import { type RawServer, startServer } from "./raw-server.ts";
import { modernMeta, shareLegacy, startLegacy, TARGETS } from "./targets.ts";

/** Ten thousand calls fill the stack. */
const DEPTH = inSoak(100_000, 20_000);

const SHAPES: { readonly [name: string]: string } = {
  arrays: "[".repeat(DEPTH) + "]".repeat(DEPTH),
  objects: `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`,
};

const HOLE = '"(hole)"';

/** A request as text, with something deep where the hole is. */
async function sendDeep(server: RawServer, method: string, params: object, shape: string): Promise<Message> {
  const id = `${method}-${nextId++}`;
  const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  await server.write(`${text.replaceAll(HOLE, shape)}\n`);
  return server.hear((message) => message.id === id);
}
let nextId = 1;

const hole = "(hole)";

/** A result, or a refusal that says why: anything but a failure of the server itself. */
const isFine = ({ error }: Message): boolean => [undefined, -32601, -32602].includes(error?.code);

const PLACES: readonly (readonly [string, object])[] = [
  ["no/such/method", { deep: hole }],
  ["ping", { deep: hole }],
  ["tools/list", { deep: hole }],
  ["tools/list", { cursor: hole }],
  ["tools/list", { _meta: { deep: hole } }],
  ["tools/list", { _meta: { progressToken: hole } }],
  ["tools/call", { name: hole }],
  ["tools/call", { name: "save_note", arguments: hole }],
  ["tools/call", { name: "save_note", arguments: { title: hole, text: hole, other: hole } }],
  ["tools/call", { name: "every_keyword", arguments: { kind: hole, to: hole, tags: [hole], note: hole } }],
  ["tools/call", { name: "zod_schema", arguments: { word: hole, times: hole } }],
  ["tools/call", { name: "arktype_schema", arguments: { word: hole, times: hole } }],
  ["resources/read", { uri: hole }],
  ["prompts/get", { name: "summarize_note", arguments: { title: hole } }],
  ["completion/complete", { ref: hole, argument: hole, context: hole }],
  ["completion/complete", { ref: { type: "ref/prompt", name: hole }, argument: { name: "a", value: hole } }],
  ["logging/setLevel", { level: hole }],
];

describe.each(TARGETS)(`nesting ${DEPTH} deep, sent to $name`, ({ command }) => {
  const open = shareLegacy(command);

  it.each(Object.entries(SHAPES))("answers %s at once wherever they stand", async (_, shape) => {
    const server = await open();
    const wrong: object[] = [];
    for (const [method, params] of PLACES) {
      for (const meta of [undefined, modernMeta()]) {
        const given = (params as { _meta?: object })._meta;
        const whole = meta ? { ...params, _meta: { ...meta, ...given } } : params;
        const answer = await sendDeep(server, method, whole, shape);
        wrong.push(...(isFine(answer) ? [] : [{ request: whole, answer }]));
      }
    }
    expect(wrong).toEqual([]);
    expect((await server.request("tools/list")).result).toHaveProperty("tools");
    expect(server.stderr).toBe("");
  });

  it("survives notifications and answers that are as deep", async () => {
    const server = await open();
    for (const shape of Object.values(SHAPES)) {
      await server.write(
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${shape}}}\n`,
      );
      await server.write(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${shape}}}\n`,
      );
      await server.write(`{"jsonrpc":"2.0","id":1,"result":{"deep":${shape}}}\n`);
      await server.write(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":${shape}}}\n`);
      await server.write(`{"jsonrpc":"2.0","id":${shape},"method":"ping"}\n`);
      await server.write(`{"jsonrpc":"2.0","id":"wrong","method":${shape}}\n`);
      await server.write(`${shape}\n`);
    }
    const { result } = await server.request("ping");
    expect(result).toEqual({});
    expect(server.stderr).toBe("");
  });

  it("reads deep capabilities in a request, and refuses to keep them for a session", async () => {
    const capabilities = { experimental: hole };
    const _meta = { ...modernMeta(), "io.modelcontextprotocol/clientCapabilities": capabilities };
    const hello = {
      protocolVersion: "2025-11-25",
      capabilities,
      clientInfo: { name: "deep", version: "1" },
    };
    const server = startServer(command);
    for (const [name, shape] of Object.entries(SHAPES)) {
      const listed = await sendDeep(await open(), "tools/list", { _meta }, shape);
      expect.soft(listed.result, name).toHaveProperty("tools");
      const greeted = await sendDeep(server, "initialize", hello, shape);
      expect.soft(greeted.error?.code, name).toBe(-32602);
      expect.soft(server.stderr, name).toBe("");
    }
  });
});

describe("deep answers to questions of the server", () => {
  const CAPABILITIES = { elicitation: { form: {} } };
  const FORMS = [
    { action: "accept", content: hole },
    { action: "accept", content: { sure: hole, word: hole } },
    { action: "accept", content: { sure: true, word: "x", other: hole } },
    { action: hole },
  ];

  const ASKING = [
    ["notes", NOTES, "delete_note", { title: "doomed" }],
    ["everything", EVERYTHING, "ask_twice", {}],
  ] as const;
  /** So that there is always something to ask about. */
  const SAVE = { name: "save_note", arguments: { title: "doomed", text: "" } };

  it.each(ASKING)("are refused or read by %s in the legacy era", async (_, command, name, args) => {
    const server = await startLegacy(command, "2025-11-25", CAPABILITIES);
    const asked = new Set<unknown>();
    const isNews = ({ id, method }: Message): boolean => method === "elicitation/create" && !asked.has(id);
    for (const form of FORMS) {
      for (const shape of Object.values(SHAPES)) {
        await server.request("tools/call", SAVE);
        const call = `call-${asked.size}`;
        server.say({ jsonrpc: "2.0", id: call, method: "tools/call", params: { name, arguments: args } });
        const { id } = await server.hear(isNews);
        asked.add(id);
        await server.write(
          `${JSON.stringify({ jsonrpc: "2.0", id, result: form }).replaceAll(HOLE, shape)}\n`,
        );
        const next = await server.hear((message) => message.id === call || isNews(message));
        asked.add(next.id);
        if (next.method !== undefined)
          server.say({ jsonrpc: "2.0", id: next.id, result: { action: "cancel" } });
        expect((await server.hear((message) => message.id === call)).error).toBeUndefined();
      }
    }
    expect(server.stderr).toBe("");
  });

  it.each(ASKING)("are refused or read by %s in the modern era", async (_, command, name, args) => {
    const server = await startLegacy(command);
    const params = { name, arguments: args, _meta: modernMeta(CAPABILITIES) };
    const expectAnswer = async (given: object, shape: string): Promise<void> => {
      const answer = await sendDeep(server, "tools/call", given, shape);
      expect(isFine(answer) ? "fine" : answer).toBe("fine");
    };
    for (const shape of Object.values(SHAPES)) {
      for (const form of FORMS) {
        await server.request("tools/call", SAVE);
        const { result } = await server.request("tools/call", params);
        const [key = ""] = Object.keys(result?.["inputRequests"] as object);
        const requestState = result?.["requestState"];
        await expectAnswer({ ...params, inputResponses: { [key]: form }, requestState }, shape);
      }
      await expectAnswer({ ...params, inputResponses: hole }, shape);
      await expectAnswer({ ...params, requestState: hole }, shape);
      await expectAnswer({ ...params, arguments: { ...args, other: hole } }, shape);
      await expectAnswer({ ...params, arguments: { ...args, other: hole }, inputResponses: {} }, shape);
    }
    expect((await server.request("ping")).result).toEqual({});
    expect(server.stderr).toBe("");
  });
});
