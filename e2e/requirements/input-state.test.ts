import { callTool, type Fields, type Message, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { journalOf } from "../support/calls.ts";
import { EVERYTHING } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

const capabilities = { elicitation: {} };
const CALL = { name: "ask_twice", arguments: { topic: "cats" } };
const FIRST = { "elicitation/create#1": { action: "accept", content: { word: "one" } } };
const SECOND = { "elicitation/create#2": { action: "accept", content: { word: "two" } } };

/** A state that holds the first answer: with the second one the call can complete. */
async function stateOf(wire: Wire): Promise<string> {
  const { result } = await wire.request("tools/call", CALL);
  const next = await proceed(wire, result?.["requestState"], FIRST);
  return next.result?.["requestState"] as string;
}

const proceed = (
  wire: Wire,
  requestState: unknown,
  inputResponses: Fields,
  params: Fields = CALL,
  method: string = "tools/call",
): Promise<Message> => wire.request(method, { ...params, inputResponses, requestState });

verify(
  "input/state-tampering-rejected",
  "refuses a state that was changed in any place",
  async ({ open }) => {
    const wire = await open({ capabilities });
    const state = await stateOf(wire);
    expect(state.length).toBeGreaterThan(50);
    for (let at = 0; at < state.length; at += 1) {
      const letter = state[at] === "A" ? "B" : "A";
      const { error } = await proceed(wire, state.slice(0, at) + letter + state.slice(at + 1), SECOND);
      expect(error?.code, `letter ${at}`).toBe(-32602);
    }
    const last = state.at(-1) ?? "";
    for (const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".replace(
      last,
      "",
    )) {
      const { error } = await proceed(wire, state.slice(0, -1) + letter, SECOND);
      expect(error?.code, `ends in ${letter} for ${last}`).toBe(-32602);
    }
    for (const changed of [
      `${state} `,
      ` ${state}`,
      `${state}=`,
      state.slice(1),
      state.slice(0, -1),
      state + state,
    ]) {
      expect((await proceed(wire, changed, SECOND)).error?.code).toBe(-32602);
    }
    expect((await journalOf(wire)).ran).toEqual([]);
    expect(textOf(await proceed(wire, state, SECOND))).toBe("one two");
    expect((await journalOf(wire)).ran).toEqual(["ask_twice acted"]);
  },
);

verify("input/state-garbage-survived", "survives any state and gives nothing away", async ({ open }) => {
  const wire = await open({ capabilities });
  const random = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 89) % 256)).toString("base64url");
  const garbage = [
    "",
    "x",
    random,
    "\u0000\ud800",
    "A".repeat(6_000_000),
    "!".repeat(100),
    5,
    true,
    null,
    {},
    [],
    ["x"],
  ];
  for (const state of garbage) {
    const { error } = await proceed(wire, state, SECOND);
    expect(error?.code, JSON.stringify(state).slice(0, 50)).toBe(-32602);
    expect(JSON.stringify(error)).not.toMatch(/aes|gcm|decrypt|\bat \/|\.js/i);
  }
  expect((await journalOf(wire)).ran).toEqual([]);
  expect(wire.stderr).toBe("");
  expect(textOf(await callTool(wire, "no_arguments"))).toBe("done");
});

const MINUTE = 60_000;

/** The same server with its clock put forward. */
const later = (ms: number): readonly string[] => {
  const [node = "", ...args] = EVERYTHING;
  const preload = `const now = Date.now; Date.now = () => now() + ${ms};`;
  return [node, "--import", `data:text/javascript,${encodeURIComponent(preload)}`, ...args];
};

verify("input/state-expires", "refuses a state that is too old", async ({ open }) => {
  const env = { REQUEST_STATE_SECRET: "shared by these processes" };
  const state = await stateOf(await open({ capabilities, env }));
  const soon = await open({ capabilities, env, server: later(10 * MINUTE) });
  expect(textOf(await proceed(soon, state, SECOND))).toBe("one two");
  const tooLate = await open({ capabilities, env, server: later(16 * MINUTE) });
  expect((await proceed(tooLate, state, SECOND)).error?.code).toBe(-32602);
  expect((await journalOf(tooLate)).ran).toEqual([]);
});

verify("input/state-bound-to-request", "refuses a state on any other request", async ({ open }) => {
  const wire = await open({ capabilities });
  const state = await stateOf(wire);
  const others: readonly (readonly [method: string, params: Fields])[] = [
    ["tools/call", { ...CALL, arguments: { topic: "dogs" } }],
    ["tools/call", { ...CALL, arguments: {} }],
    ["tools/call", { name: "ask_form", arguments: CALL.arguments }],
    ["tools/call", { name: "no_arguments" }],
    ["prompts/get", { name: "asking", arguments: CALL.arguments }],
    ["resources/read", { uri: "demo:///asking" }],
  ];
  for (const [method, params] of others) {
    const { error } = await proceed(wire, state, SECOND, params, method);
    expect(error?.code, JSON.stringify(params)).toBe(-32602);
  }
  expect((await proceed(await open({ capabilities }), state, SECOND)).error?.code).toBe(-32602);
  expect((await journalOf(wire)).ran).toEqual([]);
  expect(textOf(await proceed(wire, state, SECOND))).toBe("one two");
});
