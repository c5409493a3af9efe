import { META_LOG_LEVEL, META_PROTOCOL_VERSION } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { shareLegacy, modernMeta, TARGETS } from "./targets.ts";

/** Members that every object inherits: a table that is a plain object would find them. */
const INHERITED: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "toLocaleString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "propertyIsEnumerable",
  "__defineGetter__",
  "__defineSetter__",
  "__lookupGetter__",
  "__lookupSetter__",
];

type ToParams = (name: string) => object;

/** Everywhere a client may put a name, with the code that an unknown one deserves. */
const PLACES: readonly (readonly [string, string, number, ToParams])[] = [
  ["tool names", "tools/call", -32602, (name) => ({ name })],
  ["prompt names", "prompts/get", -32602, (name) => ({ name })],
  ["URIs to read", "resources/read", -32002, (uri) => ({ uri })],
  ["URIs to subscribe to", "resources/subscribe", -32002, (uri) => ({ uri })],
  ["log levels", "logging/setLevel", -32602, (level) => ({ level })],
  ["cursors of tools", "tools/list", -32602, (cursor) => ({ cursor })],
  ["cursors of resources", "resources/list", -32602, (cursor) => ({ cursor })],
  ["cursors of templates", "resources/templates/list", -32602, (cursor) => ({ cursor })],
  ["cursors of prompts", "prompts/list", -32602, (cursor) => ({ cursor })],
  [
    "prompts to complete for",
    "completion/complete",
    -32602,
    (name) => ({ ref: { type: "ref/prompt", name }, argument: { name: "title", value: "" } }),
  ],
  [
    "templates to complete for",
    "completion/complete",
    -32602,
    (uri) => ({ ref: { type: "ref/resource", uri }, argument: { name: "title", value: "" } }),
  ],
  [
    "kinds of reference",
    "completion/complete",
    -32602,
    (type) => ({ ref: { type, name: "x", uri: "x" }, argument: { name: "title", value: "" } }),
  ],
];

describe.each(TARGETS)("names that objects inherit, given to $name", ({ command }) => {
  const open = shareLegacy(command);

  it("finds no method under them", async () => {
    const server = await open();
    const modern = { _meta: modernMeta() };
    for (const params of [undefined, modern]) {
      const answers = await Promise.all(INHERITED.map((method) => server.request(method, params)));
      expect(answers.map(({ error }) => error?.code)).toEqual(INHERITED.map(() => -32601));
    }
  });

  it("finds no notification under them, and stays alive", async () => {
    const server = await open();
    for (const method of INHERITED) {
      server.notify(method);
      server.notify(method, { requestId: 1 });
      server.notify(`notifications/${method}`);
    }
    expect((await server.request("ping")).result).toEqual({});
    expect(server.stderr).toBe("");
  });

  it("knows none of them wherever a name may stand", async () => {
    const server = await open();
    for (const [place, method, code, toParams] of PLACES) {
      const answers = await Promise.all(INHERITED.map((name) => server.request(method, toParams(name))));
      const codes = answers.map(({ error }) => error?.code);
      expect({ place, codes }).toEqual({ place, codes: INHERITED.map(() => code) });
    }
  });

  it("opens no revision and no log level under them", async () => {
    const server = await open();
    const codesWith = async (key: string): Promise<unknown[]> => {
      const answers = INHERITED.map((name) =>
        server.request("tools/list", { _meta: { ...modernMeta(), [key]: name } }),
      );
      return (await Promise.all(answers)).map(({ error }) => error?.code);
    };
    expect(await codesWith(META_PROTOCOL_VERSION)).toEqual(INHERITED.map(() => -32022));
    expect(await codesWith(META_LOG_LEVEL)).toEqual(INHERITED.map(() => -32602));
  });

  it("pollutes nothing with members of messages", async () => {
    const server = await open();
    const poison = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const places = ["params", "params._meta", "params.arguments", "params.context.arguments", "params.ref"];
    for (const [index, place] of places.entries()) {
      const nested = place
        .split(".")
        .reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, poison)
        .slice(1, -1);
      for (const method of ["tools/call", "prompts/get", "completion/complete", "tools/list"]) {
        await server.write(`{"jsonrpc":"2.0","id":"${method}-${index}","method":"${method}",${nested}}\n`);
      }
    }
    const before = (await server.request("tools/list")).result;
    expect(JSON.stringify(before)).not.toContain("polluted");
    expect((await server.request("ping")).result).toEqual({});
    expect(server.heard.filter(({ error }) => error?.code === -32603)).toEqual([]);
  });
});
