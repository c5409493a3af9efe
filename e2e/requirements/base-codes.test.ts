import { META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION } from "@suite/check/wires";
import { expect } from "vitest";

import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

/** The code of every error that a client can provoke, by what provokes it. */
async function provokeErrors(wire: Wire): Promise<Record<string, number | undefined>> {
  const codes: Record<string, number | undefined> = {};
  const ask = async (why: string, method: string, params: object = {}, meta: object = {}): Promise<void> => {
    const { error } = await wire.request(method, { ...params }, { meta: { ...meta } });
    codes[why] = error?.code;
  };
  await ask("unknown method", "nobody/knows");
  await ask("unknown tool", "tools/call", { name: "nobody" });
  await ask("unknown prompt", "prompts/get", { name: "nobody" });
  await ask("unknown resource", "resources/read", { uri: "demo:///nowhere" });
  await ask("unknown cursor", "tools/list", { cursor: "made up" });
  await ask("unknown version", "tools/list", {}, { [META_PROTOCOL_VERSION]: "1999-01-01" });
  await ask("no capabilities", "tools/list", {}, { [META_CLIENT_CAPABILITIES]: undefined });
  await ask("missing capability", "tools/call", { name: "ask_form" });
  await ask("forged state", "tools/call", { name: "ask_form", requestState: "forged" });
  await ask("broken resource", "resources/read", { uri: "demo:///broken" });
  await ask("broken prompt", "prompts/get", { name: "broken" });
  await ask("own code", "tools/call", { name: "fail_as_protocol" });
  for (const line of ["{", "[]", "5"]) {
    wire.write(`${line}\n`);
    codes[line] = (await wire.hear(({ error }) => error !== undefined)).error?.code;
  }
  return codes;
}

verify(
  ["base/codes-reserved-range", "base/codes-legacy-range-unused", "base/codes-own-outside-reserved"],
  "each error has the code that the revision gives it",
  async ({ open }) => {
    const wire = await open();
    expect(await provokeErrors(wire)).toEqual({
      "unknown method": -32601,
      "unknown tool": -32602,
      "unknown prompt": -32602,
      "unknown resource": -32602,
      "unknown cursor": -32602,
      "unknown version": -32022,
      "no capabilities": -32602,
      "missing capability": -32021,
      "forged state": -32602,
      "broken resource": -32603,
      "broken prompt": -32603,
      "own code": -31999,
      "{": -32700,
      "[]": -32600,
      "5": -32600,
    });
  },
);

verify("base/codes-retired", "codes of older revisions are never sent", async ({ open }) => {
  const wire = await open();
  await wire.request("resources/read", { uri: "demo:///nowhere" });
  await wire.request("tools/call", { name: "visit_first" });
  for (const code of [-32002, -32042]) {
    await wire.request("tools/call", { name: "fail_with_code", arguments: { code } });
  }
  const codes = wire.heard.flatMap(({ error }) => error?.code ?? []);
  expect(codes.length).toBeGreaterThan(0);
  expect(codes.filter((code) => code === -32002 || code === -32042)).toEqual([]);
});
