import { describe, expect, it } from "vitest";

import { shareLegacy, TARGETS } from "./targets.ts";

/** As JSON text: some of these have no other way to be written. */
const WRONG_IDS: readonly string[] = [
  "null",
  "true",
  "false",
  "1.5",
  "-0.25",
  "1e400",
  "9007199254740993",
  "-9007199254740993",
  "{}",
  '{"id":1}',
  "[]",
  "[1]",
  '{"__proto__":1}',
];

const GOOD_IDS: readonly (string | number)[] = [
  0,
  -1,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  "",
  " ",
  "0",
  "null",
  "__proto__",
  "constructor",
  "\u0000\u001f",
  "\ud800",
  "i".repeat(100_000),
];

describe.each(TARGETS)("ids on the way to $name", ({ command }) => {
  const open = shareLegacy(command);

  it("answers ids of every wrong kind with an invalid request that has none", async () => {
    const server = await open();
    const before = server.heard.length;
    for (const id of WRONG_IDS) await server.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
    await server.request("ping");
    const answers = server.heard.slice(before).filter(({ error }) => error !== undefined);
    expect(answers.map(({ error }) => error?.code)).toEqual(WRONG_IDS.map(() => -32600));
    expect(answers.every((answer) => !("id" in answer))).toBe(true);
  });

  it("gives every legitimate id back exactly as it was, once", async () => {
    const server = await open();
    for (const id of GOOD_IDS) server.say({ jsonrpc: "2.0", id, method: "ping" });
    await server.request("ping");
    for (const id of GOOD_IDS) expect(server.answersTo(id)).toEqual([{ jsonrpc: "2.0", id, result: {} }]);
  });

  it("takes 1 and '1' for two requests", async () => {
    const server = await open();
    server.say({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    server.say({ jsonrpc: "2.0", id: "1", method: "tools/list" });
    await server.request("ping");
    expect(server.answersTo(1)).toHaveLength(1);
    expect(server.answersTo("1")).toHaveLength(1);
  });

  it("lets an id be used again once it was answered", async () => {
    const server = await open();
    for (let round = 0; round < 3; round += 1) {
      server.say({ jsonrpc: "2.0", id: 7, method: "tools/list" });
      await server.request("ping");
    }
    expect(server.answersTo(7).map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  });

  it("drops answers to questions nobody asked, whatever their id", async () => {
    const server = await open();
    for (const id of [0, 1, 2, "1", "__proto__", -5]) {
      server.say({ jsonrpc: "2.0", id, result: {} });
      server.say({ jsonrpc: "2.0", id, result: { action: "accept", content: { __proto__: null } } });
      server.say({ jsonrpc: "2.0", id, error: { code: -1, message: "no" } });
    }
    server.say({ jsonrpc: "2.0", error: { code: -1, message: "no" } });
    const before = server.heard.length;
    await server.request("ping");
    expect(server.heard).toHaveLength(before + 1);
  });
});
