import type { Message } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { startServer, type RawServer } from "./raw-server.ts";
import { modernMeta, shareLegacy, startLegacy, TARGETS } from "./targets.ts";
import {
  LEGACY_METHODS,
  META_FIELDS,
  MODERN_METHODS,
  VALUES,
  withField,
  wrongValues,
  type MethodCase,
} from "./wrong-types.ts";

const METHODS_WITHOUT_PARAMS = ["ping", "initialize", "no/such/method", ""];

/** Params that are right in kind may still name something that is not there. */
const SENSIBLE = [undefined, -32002, -32602];

/** Sends the request as it is, params of any kind included, and gives the one answer. */
async function send(server: RawServer, method: string, params?: unknown): Promise<Message> {
  const id = `${method}-${nextId++}`;
  server.say({ jsonrpc: "2.0", id, method, params });
  return server.hear((message) => message.id === id);
}
let nextId = 1;

/** What is wrong with an answer besides its code, in words; nothing, if all is well. */
function faultOf(answer: Message): string | undefined {
  if (answer.jsonrpc !== "2.0") return "is of no version";
  if ("result" in answer === "error" in answer) return "is neither a result nor an error, or both";
  if (answer.error === undefined) return undefined;
  if (!Number.isInteger(answer.error.code)) return "has no code";
  return answer.error.message === "" ? "has no message" : undefined;
}

/** An answer in short, with the request, so that a failed comparison says what was asked. */
const verdict = (request: string, answer: Message): object => ({
  request,
  fault: faultOf(answer),
  code: answer.error?.code,
});

const expected = (request: string, code: number | undefined): object => ({ request, fault: undefined, code });

/** Every field of every method, holding a value of every type it must not have. */
async function expectRefusals(
  server: RawServer,
  methods: readonly MethodCase[],
  meta: Record<string, unknown> | undefined,
): Promise<number> {
  const tried = methods.flatMap(({ method, params, fields }) =>
    [...fields, ...(meta ? META_FIELDS : [])].flatMap((field) =>
      wrongValues(field).map(async (value) => {
        const wrong = withField({ ...params, ...(meta && { _meta: meta }) }, field.path, value);
        const request = `${method} ${field.path}=${JSON.stringify(value)}`;
        const answer = await send(server, method, wrong);
        expect(verdict(request, answer)).toEqual(expected(request, -32602));
      }),
    ),
  );
  await Promise.all(tried);
  return tried.length;
}

describe.each(TARGETS)("values of the wrong type, given to $name", ({ command }) => {
  const open = shareLegacy(command);

  it("answers params that are no object as invalid, for every method", async () => {
    const server = await open();
    const methods = [...LEGACY_METHODS, ...MODERN_METHODS].map(({ method }) => method);
    for (const method of [...methods, ...METHODS_WITHOUT_PARAMS]) {
      for (const params of Object.values(VALUES).flat()) {
        if (typeof params === "object" && params !== null && !Array.isArray(params)) continue;
        const request = `${method} ${JSON.stringify(params)}`;
        const answer = await send(server, method, params);
        expect(verdict(request, answer)).toEqual(expected(request, -32602));
      }
    }
  });

  it("answers missing params as invalid where some are needed", async () => {
    const server = await open();
    for (const { method, needsParams } of LEGACY_METHODS) {
      for (const params of [undefined, {}]) {
        const answer = await send(server, method, params);
        expect(verdict(method, answer)).toEqual(expected(method, needsParams ? -32602 : undefined));
      }
    }
  });

  it("answers sensibly when nothing is wrong but the names", async () => {
    const server = await open();
    for (const { method, params } of LEGACY_METHODS) {
      const answer = await send(server, method, params);
      expect(faultOf(answer)).toBeUndefined();
      expect(SENSIBLE).toContain(answer.error?.code);
    }
  });

  it("refuses every wrong type of every field in the legacy era", async () => {
    const server = await open();
    expect(await expectRefusals(server, LEGACY_METHODS, undefined)).toBeGreaterThan(150);
    expect((await server.request("ping")).result).toEqual({});
    expect(server.stderr).toBe("");
  });

  it("refuses every wrong type of every field in the modern era", async () => {
    const server = await open();
    expect(await expectRefusals(server, MODERN_METHODS, modernMeta())).toBeGreaterThan(500);
    expect((await server.request("ping")).result).toEqual({});
    expect(server.stderr).toBe("");
  });

  it("refuses an initialize of the wrong type, and then takes a right one", async () => {
    const server = startServer(command);
    const right = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const fields = [
      { path: "protocolVersion", types: ["string"] },
      { path: "clientInfo", types: [] },
      { path: "clientInfo.name", types: ["string"] },
      { path: "clientInfo.version", types: ["string"] },
    ];
    for (const field of fields) {
      for (const value of wrongValues(field)) {
        const request = `${field.path}=${JSON.stringify(value)}`;
        const answer = await send(server, "initialize", withField(right, field.path, value));
        expect(verdict(request, answer)).toEqual(expected(request, -32602));
      }
    }
    expect((await send(server, "initialize", right)).result?.["protocolVersion"]).toBe("2025-11-25");
    expect((await send(server, "initialize", right)).error?.code).toBe(-32600);
  });

  it("takes capabilities of the wrong type for none", async () => {
    const wrong = { elicitation: true, sampling: "yes", roots: [1], experimental: null };
    const server = await startLegacy(command, "2025-11-25", wrong);
    expect((await server.request("tools/list")).result).toHaveProperty("tools");
  });

  it("ignores notifications with params of any kind", async () => {
    const server = await open();
    const methods = [
      "cancelled",
      "initialized",
      "progress",
      "roots/list_changed",
      "message",
      "no_such_thing",
    ];
    for (const method of methods.map((name) => `notifications/${name}`)) {
      for (const value of Object.values(VALUES).flat()) {
        server.say({ jsonrpc: "2.0", method, params: value });
        for (const field of ["requestId", "reason", "progressToken", "progress", "total", "_meta"]) {
          server.say({ jsonrpc: "2.0", method, params: { [field]: value } });
        }
      }
    }
    const before = server.heard.length;
    await server.request("ping");
    expect(server.heard).toHaveLength(before + 1);
    expect(server.stderr).toBe("");
  });
});
