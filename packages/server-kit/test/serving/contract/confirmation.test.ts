import type { Params } from "@suite/core";
import { openLine, type Line } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import type { ContractSettings } from "../../../src/serving/contract/settings.ts";
import {
  accept,
  answer,
  callOn,
  errorOf,
  isCalled,
  LAST_LEGACY,
  MODERN,
  REVISIONS,
  type Run,
  serverOf,
  skipWaits,
  sleep,
  textOf,
  toolThat,
} from "./sample.ts";

const KEY = "dev.suite/confirm";
const METHOD = "elicitation/create";
const ASKABLE: readonly string[] = ["2025-06-18", "2025-11-25"];

interface Rig {
  readonly line: Line;
  /** How often the tool ran. */
  readonly runs: unknown[];
}

async function open(
  revision: string,
  facts: Parameters<typeof toolThat>[1] = {},
  contract: Partial<ContractSettings> = {},
  capabilities: Params = { elicitation: {} },
): Promise<Rig> {
  const runs: unknown[] = [];
  const run: Run = (input) => (runs.push(input), { said: "deleted" });
  const tool = toolThat(run, { title: "Delete a file", effects: "destructive", ...facts });
  const server = serverOf([tool], { confirm: true, ...contract });
  return { line: await openLine(server, { revision, capabilities }), runs };
}

const messageOf = (question: Params | undefined): unknown => question?.["message"];

describe.each(ASKABLE)("in %s a person is asked between request and answer", (revision) => {
  it("and the call goes on after a yes", async () => {
    const { line, runs } = await open(revision);
    const called = callOn(line, { name: "a.txt" });
    const { params } = await answer(line, METHOD, accept({ confirm: true }));
    expect(messageOf(params)).toBe('Delete a file? {"name":"a.txt"}');
    expect(params?.["requestedSchema"]).toMatchObject({ required: ["confirm"] });
    expect(textOf(await called)).toBe("deleted");
    expect(runs).toEqual([{ name: "a.txt" }]);
  });

  it.each<Params>([{ action: "decline" }, { action: "cancel" }, accept({ confirm: false })])(
    "and %j stops it",
    async (reply) => {
      const { line, runs } = await open(revision);
      const called = callOn(line);
      await answer(line, METHOD, reply);
      const result = await called;
      expect(errorOf(result)).toMatchObject({ code: "cancelled", retryable: false });
      expect(textOf(result)).toContain("Nothing was changed");
      expect(runs).toEqual([]);
    },
  );

  it.each<Params>([accept({}), accept({ confirm: "yes" }), { action: "maybe" }, {}])(
    "and %j is no consent",
    async (reply) => {
      const { line, runs } = await open(revision);
      const called = callOn(line);
      await answer(line, METHOD, reply);
      expect(errorOf(await called)).toMatchObject({ code: "unavailable", retryable: true });
      expect(runs).toEqual([]);
    },
  );

  it("and an error of the client is no consent", async () => {
    const { line, runs } = await open(revision);
    const called = callOn(line);
    const question = (await line.hear(isCalled(METHOD))) as { id?: unknown };
    line.say({ jsonrpc: "2.0", id: question.id, error: { code: -32603, message: "no window" } });
    expect(errorOf(await called)?.code).toBe("unavailable");
    expect(runs).toEqual([]);
  });
});

describe("in the modern era the call is repeated with the answer", () => {
  const capabilities = { elicitation: { form: {} } };

  it("and goes on after a yes", async () => {
    const { line, runs } = await open(MODERN, {}, {}, capabilities);
    const asked = await callOn(line, { name: "a.txt" });
    const requests = asked["inputRequests"] as Record<string, { params: Params }>;
    expect(Object.keys(requests)).toEqual([KEY]);
    expect(messageOf(requests[KEY]?.params)).toBe('Delete a file? {"name":"a.txt"}');
    const more = {
      requestState: asked["requestState"],
      inputResponses: { [KEY]: accept({ confirm: true }) },
    };
    expect(runs).toEqual([]);
    expect(textOf(await callOn(line, { name: "a.txt" }, {}, more))).toBe("deleted");
    expect(runs).toEqual([{ name: "a.txt" }]);
  });

  it.each<Params>([{ action: "decline" }, accept({ confirm: false })])("and %j stops it", async (reply) => {
    const { line, runs } = await open(MODERN, {}, {}, capabilities);
    const { requestState } = await callOn(line);
    const result = await callOn(line, {}, {}, { requestState, inputResponses: { [KEY]: reply } });
    expect(errorOf(result)).toMatchObject({ code: "cancelled", retryable: false });
    expect(runs).toEqual([]);
  });

  it("and consent to one thing is none to another", async () => {
    const { line, runs } = await open(MODERN, {}, {}, capabilities);
    const { requestState } = await callOn(line, { name: "a.txt" });
    const more = { requestState, inputResponses: { [KEY]: accept({ confirm: true }) } };
    await expect(callOn(line, { name: "b.txt" }, {}, more)).rejects.toThrow("requestState is not valid");
    expect(runs).toEqual([]);
  });
});

describe("nobody is asked", () => {
  it.each(["read", "write"] as const)("before tools that only %s", async (effects) => {
    const { line } = await open(LAST_LEGACY, { effects });
    expect(textOf(await callOn(line))).toBe("deleted");
  });

  it("unless the operator wants it", async () => {
    const { line } = await open(LAST_LEGACY, {}, { confirm: false });
    expect(textOf(await callOn(line))).toBe("deleted");
  });

  it("about arguments that are no good", async () => {
    const { line, runs } = await open(LAST_LEGACY);
    expect(errorOf(await callOn(line, { name: 1 }))?.code).toBe("invalid_input");
    expect(runs).toEqual([]);
  });
});

describe("clients that cannot ask are refused", () => {
  it.each(REVISIONS)("in %s", async (revision) => {
    const { line, runs } = await open(revision, {}, {}, {});
    const result = await callOn(line);
    expect(errorOf(result)).toMatchObject({ code: "permission_denied", retryable: false });
    expect(textOf(result)).toContain("Try dry_run");
    expect(runs).toEqual([]);
  });

  it.each([LAST_LEGACY, MODERN])("in %s, if all they can do is to open a page", async (revision) => {
    const { line, runs } = await open(revision, {}, {}, { elicitation: { url: {} } });
    expect(errorOf(await callOn(line))?.code).toBe("permission_denied");
    expect(runs).toEqual([]);
  });
});

describe("the question", () => {
  const askedBy = async (
    confirm: (input: { name?: string }) => string,
    args: Params = {},
  ): Promise<string> => {
    const { line } = await open(LAST_LEGACY, { confirm });
    const called = callOn(line, args);
    const { params } = await answer(line, METHOD, { action: "cancel" });
    await called;
    return String(messageOf(params));
  };

  it("may be the tool's own", async () => {
    expect(await askedBy(({ name }) => `Delete ${name}?`, { name: "a" })).toBe("Delete a?");
  });

  it("hides nothing, and says when it is cut", async () => {
    expect(await askedBy(() => "Delete a\u202Etxt.b?")).toBe("Delete a\\u{202E}txt.b?");
    const long = await askedBy(() => "x".repeat(5000));
    expect(long).toMatch(/^x{1000}… \(cut: there is more of it\)$/);
  });
});

it("a person may take longer than the deadline", async () => {
  skipWaits();
  const { line } = await open(LAST_LEGACY, {}, { timeoutMs: 50 });
  const called = callOn(line);
  const question = (await line.hear(isCalled(METHOD))) as { id?: unknown };
  await sleep(3000);
  line.say({ jsonrpc: "2.0", id: question.id, result: accept({ confirm: true }) });
  expect(textOf(await called)).toBe("deleted");
});
