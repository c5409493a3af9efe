import { type Call, type CallToolResult, type MaybePromise, type Params } from "@suite/core";
import { MemoryStore, Replica } from "@suite/replicas";
import { openLine } from "@suite/core/testing";
import { afterEach, describe, expect, it, vi } from "vitest";

import { FirstResults } from "../../../src/serving/contract/idempotency.ts";
import type { ToolDefinition } from "../../../src/serving/contract/tool.ts";
import { Fault } from "../../../src/domain/errors/fault.ts";
import {
  accept,
  answer,
  callOn,
  errorOf,
  Gate,
  LAST_LEGACY,
  MODERN,
  type Run,
  serverOf,
  sleep,
  textOf,
  toolThat,
} from "./sample.ts";

const META = "dev.suite/idempotencyKey";
const KEY = { [META]: "k1" };

afterEach(() => {
  vi.useRealTimers();
});

/** A line to a server whose only tool writes, and counts how often it ran. */
async function openWriter(run: Run, effects: "read" | "write" | "destructive" = "write", confirm = false) {
  const counted = { runs: 0 };
  const tool = toolThat(
    (input, context) => {
      counted.runs += 1;
      return run(input, context);
    },
    { effects },
  );
  const line = await openLine(serverOf([tool], { confirm }), {
    revision: LAST_LEGACY,
    capabilities: { elicitation: {} },
  });
  return { line, counted };
}

const sayName: Run = ({ name = "" }) => ({ said: name });

describe("a repeated write", () => {
  it("gets its first result again, whatever the order and form of its arguments", async () => {
    const { line, counted } = await openWriter(({ name }) => ({ said: `${name} ${counted.runs}` }));
    const first = await callOn(line, { name: "a", count: 1 }, KEY);
    expect(await callOn(line, { count: 1, name: "a" }, KEY)).toEqual(first);
    expect(await callOn(line, { name: "a", count: "1" }, KEY)).toEqual(first);
    expect({ text: textOf(first), ...counted }).toEqual({ text: "a 1", runs: 1 });
  });

  it.each([
    ["alone", undefined],
    ["among replicas", new Replica(new MemoryStore())],
  ])("is wrapped like the first where its result is no object, %s", async (_, replica) => {
    const list = { ...toolThat(() => ({ said: "" }), { effects: "write" }), output: { type: "array" } };
    const tool = { ...list, run: () => ["a"], text: () => "a" } as ToolDefinition;
    const line = await openLine(serverOf([tool], { replica }), { revision: LAST_LEGACY });
    const first = await callOn(line, {}, KEY);
    expect(first.structuredContent).toEqual({ result: ["a"] });
    expect(await callOn(line, {}, KEY)).toEqual(first);
  });

  it("with another key, or none, runs again", async () => {
    const { line, counted } = await openWriter(sayName);
    for (const meta of [KEY, { [META]: "k2" }, {}, {}]) await callOn(line, { name: "a" }, meta);
    expect(counted.runs).toBe(4);
  });

  it("waits for the first if that is still on its way", async () => {
    const gate = new Gate();
    const { line, counted } = await openWriter(async () => (await gate.opened, { said: "done" }));
    const calls = [callOn(line, {}, KEY), callOn(line, {}, KEY), callOn(line, { name: "b" }, KEY)];
    expect(errorOf(await (calls[2] as Promise<CallToolResult>))?.code).toBe("conflict");
    gate.open();
    const [first, second] = await Promise.all(calls);
    expect(second).toEqual(first);
    expect(counted.runs).toBe(1);
  });

  it("is what a read never is", async () => {
    const { line, counted } = await openWriter(sayName, "read");
    await callOn(line, { name: "a" }, KEY);
    await callOn(line, { name: "b" }, KEY);
    expect(counted.runs).toBe(2);
  });
});

describe("a key", () => {
  it.each([1, "", "x".repeat(201), null, {}])("cannot be %j", async (key) => {
    const { line, counted } = await openWriter(sayName);
    const result = await callOn(line, { name: "a" }, { [META]: key });
    expect(errorOf(result)?.code).toBe("invalid_input");
    expect(counted.runs).toBe(0);
  });
});

describe("failures", () => {
  it("that pass are tried again", async () => {
    const { line, counted } = await openWriter(() => {
      if (counted.runs === 1) throw new Fault("unavailable", "Not now.");
      return { said: "done" };
    });
    expect(errorOf(await callOn(line, {}, KEY))?.code).toBe("unavailable");
    expect(textOf(await callOn(line, {}, KEY))).toBe("done");
    expect(textOf(await callOn(line, {}, KEY))).toBe("done");
    expect(counted.runs).toBe(2);
  });

  it("to read the arguments leave the key to the call that corrects them", async () => {
    const { line, counted } = await openWriter(sayName);
    expect(errorOf(await callOn(line, { name: 7 }, KEY))?.code).toBe("invalid_input");
    expect(textOf(await callOn(line, { name: "a" }, KEY))).toBe("a");
    expect(counted.runs).toBe(1);
  });

  it("that do not pass stay", async () => {
    const { line, counted } = await openWriter(() => {
      throw new Fault("conflict", `Run ${counted.runs}.`);
    });
    const first = await callOn(line, {}, KEY);
    expect(await callOn(line, {}, KEY)).toEqual(first);
    expect(counted.runs).toBe(1);
  });

  it("of the first do not become those of whoever waits for it", async () => {
    const gate = new Gate();
    const { line, counted } = await openWriter(async () => {
      if (counted.runs > 1) return { said: "done" };
      await gate.opened;
      throw new Fault("unavailable", "Not now.");
    });
    const calls = [1, 2, 3].map(() => callOn(line, {}, KEY));
    gate.open();
    expect((await Promise.all(calls)).map(textOf)).toEqual(["Not now.", "done", "done"]);
    expect(counted.runs).toBe(2);
  });

  it("are no results if the client cancels: whoever waits takes over", async () => {
    const { line, counted } = await openWriter(async (_, { signal }) => {
      if (counted.runs > 1) return { said: "done" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("stopped");
    });
    line.say({ jsonrpc: "2.0", id: "first", method: "tools/call", params: { name: "say", _meta: KEY } });
    const second = callOn(line, {}, KEY);
    line.notify("notifications/cancelled", { requestId: "first" });
    expect(textOf(await second)).toBe("done");
    expect(counted.runs).toBe(2);
  });
});

describe("a call whose time was up", () => {
  it("is not done twice: the next with its key waits for what it left behind", async () => {
    const gate = new Gate();
    const { line, counted } = await openWriter(async () => (await gate.opened, { said: `${counted.runs}` }));
    const first = await callOn(line, {}, { ...KEY, "dev.suite/timeoutMs": 10 });
    expect(errorOf(first)?.code).toBe("timeout");
    const second = callOn(line, {}, KEY);
    gate.open();
    expect(textOf(await second)).toBe("1");
    expect(textOf(await callOn(line, {}, KEY))).toBe("1");
    expect(counted.runs).toBe(1);
  });
});

describe("questions on the way", () => {
  const ask: Run = async (_, { elicit }) => {
    const schema = { type: "object", properties: { yes: { type: "boolean" } } } as const;
    const { action } = await elicit({ message: "Really?", schema });
    return { said: action };
  };

  it("are no results, in the modern era", async () => {
    const line = await openLine(serverOf([toolThat(ask, { effects: "write" })]), {
      revision: MODERN,
      capabilities: { elicitation: { form: {} } },
    });
    const [first, twin] = await Promise.all([callOn(line, {}, KEY), callOn(line, {}, KEY)]);
    expect([first?.["resultType"], twin?.["resultType"]]).toEqual(["input_required", "input_required"]);
    const [key = ""] = Object.keys(first?.["inputRequests"] as object);
    const more = { requestState: first?.["requestState"], inputResponses: { [key]: accept({ yes: true }) } };
    const done = await callOn(line, {}, KEY, more);
    expect(textOf(done)).toBe("accept");
    expect(await callOn(line, {}, KEY)).toEqual(done);
  });

  it("are asked once, in the legacy era", async () => {
    const { line, counted } = await openWriter(ask);
    const calls = [callOn(line, {}, KEY), callOn(line, {}, KEY)];
    await answer(line, "elicitation/create", { action: "decline" });
    expect((await Promise.all(calls)).map(textOf)).toEqual(["decline", "decline"]);
    expect(counted.runs).toBe(1);
  });
});

describe("what is kept", () => {
  const result = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
  const callOf = (key: string, principal?: string, name = "say"): Call =>
    ({
      method: "tools/call",
      name,
      arguments: {},
      target: { kind: "tool", entry: { definition: { effects: "write" } } },
      context: { meta: { [META]: key }, principal, signal: new AbortController().signal },
    }) as unknown as Call;
  const textFrom = async (outcome: MaybePromise<CallToolResult>): Promise<string> => textOf(await outcome);

  it("is kept for whoever called, and for that tool", async () => {
    const first = new FirstResults();
    const calls = [callOf("k", "ada"), callOf("k", "bob"), callOf("k"), callOf("k", "ada", "other")];
    for (const [index, call] of calls.entries()) void first.run(call, () => result(`${index}`));
    const again = calls.map((call) => textFrom(first.run(call, () => result("again"))));
    expect(await Promise.all(again)).toEqual(["0", "1", "2", "3"]);
  });

  it("is given without a promise where the work was done without one", () => {
    const first = new FirstResults();
    expect(first.run(callOf("k"), () => result("1"))).toEqual(result("1"));
    expect(first.run(callOf("k"), () => result("2"))).toEqual(result("1"));
  });

  it("is forgotten when there is too much of it, the oldest of whoever has most first", async () => {
    const first = new FirstResults();
    const large = "x".repeat(10 * 1024 * 1024);
    void first.run(callOf("a", "ada"), () => result("first"));
    for (const key of ["a", "b", "c", "d"]) void first.run(callOf(key, "eve"), () => result(large));
    expect(await textFrom(first.run(callOf("a", "ada"), () => result("again")))).toBe("first");
    expect(await textFrom(first.run(callOf("b", "eve"), () => result("again")))).toBe(large);
    expect(await textFrom(first.run(callOf("a", "eve"), () => result("again")))).toBe("again");
  });

  it("is nothing of a dry run, whose key the write may have", async () => {
    const first = new FirstResults();
    const trial = { ...callOf("k"), arguments: { dry_run: true } };
    for (const text of ["1", "2"]) expect(first.run(trial, () => result(text))).toEqual(result(text));
    expect(first.run(callOf("k"), () => result("done"))).toEqual(result("done"));
    expect(first.run(trial, () => result("3"))).toEqual(result("3"));
  });

  it("is not forgotten while it is on its way", async () => {
    const first = new FirstResults();
    const gate = new Gate();
    const slow = first.run(callOf("slow"), async () => (await gate.opened, result("slow")));
    for (let index = 0; index <= 1000; index += 1) void first.run(callOf(`${index}`), () => result("first"));
    const joined = first.run(callOf("slow"), () => result("again"));
    gate.open();
    expect(await textFrom(slow)).toBe("slow");
    expect(await textFrom(joined)).toBe("slow");
  });

  it("is forgotten after an hour", async () => {
    vi.useFakeTimers({ now: 0, toFake: ["Date"] });
    const first = new FirstResults();
    void first.run(callOf("k"), () => result("first"));
    vi.setSystemTime(59 * 60_000);
    expect(await textFrom(first.run(callOf("k"), () => result("again")))).toBe("first");
    vi.setSystemTime(61 * 60_000);
    expect(await textFrom(first.run(callOf("k"), () => result("again")))).toBe("again");
  });

  it("is nothing where nobody could follow the arguments", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`) as Params;
    const call = { ...callOf("k"), arguments: deep };
    const work = (): never => expect.unreachable();
    expect(() => new FirstResults().run(call, work)).toThrow("nested too deeply");
  });

  it("is nothing where something was thrown", async () => {
    const first = new FirstResults();
    const fail = (): Promise<never> => sleep(1).then(() => Promise.reject(new Error("no")));
    await expect(first.run(callOf("k"), fail)).rejects.toThrow("no");
    expect(await textFrom(first.run(callOf("k"), () => result("again")))).toBe("again");
  });
});
