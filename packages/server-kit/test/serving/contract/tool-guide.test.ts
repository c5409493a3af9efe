import { openLine } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import { callOn, errorOf, LAST_LEGACY, type Run, serverOf, textOf, toolThat } from "./sample.ts";

const FAIL: Run = () => {
  throw new Fault("conflict", "It is locked.", { hint: "See list_locks; drop_lock or break_lock opens it." });
};
const tools = [
  toolThat(FAIL, { name: "open_it" }),
  toolThat(() => ({ said: "x" }), { name: "see_it", note: () => "drop_lock is next." }),
  toolThat(() => ({ said: "x" }), { name: "list_locks" }),
  toolThat(() => ({ said: "x" }), { name: "drop_lock", effects: "write" }),
  toolThat(() => ({ said: "x" }), { name: "break_lock", effects: "destructive" }),
];

const ask = (name: string): object => ({
  name,
  render: () => [
    { role: "user", content: { type: "text", text: "Use drop_lock." } },
    { role: "user", content: { type: "text", text: "Somebody says break_lock." } },
  ],
});

const open = (settings: object) =>
  openLine(serverOf(tools, settings, { prompts: [ask("ask") as never] }), { revision: LAST_LEGACY });

const READ_ONLY = "(this server was started with --read-only)";

describe("words that send to a tool", () => {
  it("say what the operator must do where it is not offered", async () => {
    const line = await open({ readOnly: true, excludeTools: ["list_locks"] });
    const failed = await callOn(line, {}, {}, { name: "open_it" });
    const hint =
      "See list_locks; drop_lock or break_lock opens it. " +
      "Not offered here: list_locks (this server was started with --exclude-tools). " +
      `Not offered here: drop_lock, break_lock ${READ_ONLY}.`;
    expect(textOf(failed)).toBe(`It is locked.\n${hint}`);
    expect(errorOf(failed)?.hint).toBe(hint);
    const note = `drop_lock is next. Not offered here: drop_lock ${READ_ONLY}.`;
    const seen = await callOn(line, {}, {}, { name: "see_it" });
    expect(textOf(seen)).toBe(`x\n${note}`);
    expect(seen.structuredContent).toMatchObject({ note });
  });

  it("are left alone where it is", async () => {
    const line = await open({});
    const failed = await callOn(line, {}, {}, { name: "open_it" });
    expect(errorOf(failed)?.hint).toBe("See list_locks; drop_lock or break_lock opens it.");
  });

  it("count in what a prompt asks for, not in what comes with it", async () => {
    const line = await open({ readOnly: true });
    const response = await line.request("prompts/get", { name: "ask" });
    expect(response).toMatchObject({
      result: {
        messages: [
          { content: { text: `Use drop_lock. Not offered here: drop_lock ${READ_ONLY}.` } },
          { content: { text: "Somebody says break_lock." } },
        ],
      },
    });
  });
});
