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
  type Run,
  serverOf,
  skipWaits,
  sleep,
  textOf,
  toolThat,
} from "./sample.ts";

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

describe("nobody is asked", () => {
  it("about arguments that are no good", async () => {
    const { line, runs } = await open(LAST_LEGACY);
    expect(errorOf(await callOn(line, { name: 1 }))?.code).toBe("invalid_input");
    expect(runs).toEqual([]);
  });
});

describe("clients that cannot ask are refused", () => {
  it.each([LAST_LEGACY, MODERN])("in %s, if all they can do is to open a page", async (revision) => {
    const { line, runs } = await open(revision, {}, {}, { elicitation: { url: {} } });
    expect(errorOf(await callOn(line))?.code).toBe("permission_denied");
    expect(runs).toEqual([]);
  });
});

describe("the question", () => {
  const askedBy = async (
    facts: { readonly confirm?: (input: { name?: string }) => string },
    args: Params = {},
  ): Promise<string> => {
    const { line } = await open(LAST_LEGACY, facts);
    const called = callOn(line, args);
    const { params } = await answer(line, METHOD, { action: "cancel" });
    await called;
    return String(messageOf(params));
  };

  it("is the tool's own, or names the tool and its arguments", async () => {
    const confirm = ({ name }: { name?: string }): string => `Delete ${name}?`;
    expect(await askedBy({ confirm }, { name: "a" })).toBe("Delete a?");
    expect(await askedBy({}, { name: "a" })).toBe('Delete a file? {"name":"a"}');
  });

  it("hides nothing, and says when it is cut", async () => {
    expect(await askedBy({ confirm: () => "Delete a\u202Etxt.b?" })).toBe("Delete a\\u{202E}txt.b?");
    const long = await askedBy({ confirm: () => "x".repeat(5000) });
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
