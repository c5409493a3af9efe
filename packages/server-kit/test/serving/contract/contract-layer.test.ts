import {
  defineResource,
  defineResourceTemplate,
  type JSONRPCResponse,
  type Params,
  type Server,
} from "@suite/core";
import { type Line, openLine } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import type { ContractSettings } from "../../../src/serving/contract/settings.ts";
import {
  callOn,
  errorOf,
  Gate,
  hidePlanted,
  isCalled,
  LAST_LEGACY,
  MODERN,
  PLANTED,
  REVISIONS,
  type Run,
  serverOf,
  sleep,
  textOf,
  toolThat,
} from "./sample.ts";

const TIMEOUT = "dev.suite/timeoutMs";
const echo: Run = ({ name = "" }) => ({ said: name });
/** Ends when it is told to. */
const endless: Run = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped somehow")));
  });

const openTool = (run: Run, contract: Partial<ContractSettings> = {}, facts: { timeoutMs?: number } = {}) =>
  openLine(serverOf([toolThat(run, facts)], contract), { revision: LAST_LEGACY });

describe("a call", () => {
  it("stays synchronous where the tool is: a promise costs more than most calls do", () => {
    const server = serverOf([toolThat(echo)]);
    const context = { meta: {}, signal: new AbortController().signal, state: undefined };
    const dispatch = (run: Server): unknown =>
      run.runtime.dispatcher.dispatch(
        "tools/call",
        { name: "say", arguments: { name: "a" } },
        context as never,
      );
    expect(dispatch(server)).toMatchObject({ structuredContent: { value: { said: "a" } } });
    expect(dispatch(serverOf([toolThat(async (input) => ({ said: `${input.name}` }))]))).toBeInstanceOf(
      Promise,
    );
  });
});

describe("the deadline of a tool", () => {
  it("is the operator's", async () => {
    const result = await callOn(await openTool(endless, { timeoutMs: 30 }));
    expect(errorOf(result)).toEqual({
      code: "timeout",
      retryable: true,
      hint: "Ask for less at a time. The client or the operator (--timeout) can allow more.",
      details: { timeoutMs: 30 },
    });
  });

  it.each([
    ["may be its own", { timeoutMs: 60_000 }, { timeoutMs: 30 }, {}, 30],
    ["but not above the operator's most", { maxTimeoutMs: 40 }, { timeoutMs: 60_000 }, {}, 40],
    ["may be the call's", {}, { timeoutMs: 60_000 }, { [TIMEOUT]: 30 }, 30],
    ["but not above the operator's most, either", { maxTimeoutMs: 50 }, {}, { [TIMEOUT]: 1e12 }, 50],
  ])("%s", async (_, contract, facts, meta, timeoutMs) => {
    const line = await openTool(endless, contract, facts);
    expect(errorOf(await callOn(line, {}, meta))?.details).toEqual({ timeoutMs });
  });

  it("may be longer for a call than usual", async () => {
    const slow: Run = async () => (await sleep(150), { said: "slow" });
    const line = await openTool(slow, { timeoutMs: 20 });
    expect(textOf(await callOn(line, {}, { [TIMEOUT]: 30_000 }))).toBe("slow");
  });

  it.each([0, -1, "5s", true, {}])("cannot be %j", async (asked) => {
    const runs: unknown[] = [];
    const line = await openTool(() => (runs.push(1), { said: "" }));
    expect(errorOf(await callOn(line, {}, { [TIMEOUT]: asked }))).toMatchObject({ code: "invalid_input" });
    expect(runs).toEqual([]);
  });

  it("says nothing where the client cancels, and the operator is not troubled", async () => {
    const reported: unknown[] = [];
    const stopped = new Gate();
    const run: Run = async (input, context) => {
      try {
        return await endless(input, context);
      } finally {
        expect(context.signal.reason).toMatchObject({ code: "cancelled" });
        stopped.open();
      }
    };
    const line = await openTool(run, { report: (thrown) => void reported.push(thrown) });
    line.say({ jsonrpc: "2.0", id: "x", method: "tools/call", params: { name: "say" } });
    line.notify("notifications/cancelled", { requestId: "x" });
    await stopped.opened;
    await line.request("ping");
    expect(line.transcript).not.toContain('← {"jsonrpc":"2.0","id":"x"');
    expect(reported).toEqual([]);
  });
});

const fail = (name: unknown): never => {
  if (name === "broken") throw new Error(`inner ${PLANTED}`);
  throw new Fault("not_found", `There is no ${String(name)} (${PLANTED}).`, { hint: "List them." });
};

const failing = (contract: Partial<ContractSettings> = {}): Server =>
  serverOf(
    [],
    { redact: hidePlanted, ...contract },
    {
      resources: [
        defineResource({
          uri: "x://endless",
          name: "endless",
          read: ({ signal }) => endless({}, { signal } as never) as never,
        }),
      ],
      templates: [
        defineResourceTemplate({
          uriTemplate: "x://{name}",
          name: "any",
          read: ({ name }) => fail(name),
          list: () => fail("list"),
          subscribe: (uri) => fail(uri),
        }),
      ],
    },
  );

const errorIn = (response: JSONRPCResponse): { code: number; message: string; data: Params } => {
  if ("error" in response) return response.error as never;
  throw new Error(`Expected an error: ${JSON.stringify(response)}`);
};

describe.each(REVISIONS)("in %s, resources that fail", (revision) => {
  it("lists that fail say so, too", async () => {
    const line = await openLine(failing(), { revision });
    const first = await line.request("resources/list");
    const cursor = "result" in first ? first.result["nextCursor"] : undefined;
    const { message } = errorIn(await line.request("resources/list", { cursor }));
    expect(message).toBe("There is no list ([hidden]). List them.");
  });

  it("what nobody foresaw is told to the operator alone", async () => {
    const reported: unknown[] = [];
    const report = (thrown: unknown): void => void reported.push(thrown);
    const line = await openLine(failing({ report }), { revision });
    const { code, message, data } = errorIn(await line.request("resources/read", { uri: "x://broken" }));
    expect(code).toBe(-32603);
    expect(message).not.toContain("inner");
    expect(data["dev.suite/error"]).toEqual({ code: "internal", retryable: false });
    expect(reported).toEqual([expect.objectContaining({ message: `inner ${PLANTED}` })]);
  });

  it("have a deadline", async () => {
    const line = await openLine(failing({ timeoutMs: 20 }), { revision });
    const error = errorIn(await line.request("resources/read", { uri: "x://endless" }));
    expect(error).toMatchObject({ code: -32603, data: { "dev.suite/error": { code: "timeout" } } });
  });
});

describe("watchers that cannot be started", () => {
  it("say so to whoever listens in the modern era", async () => {
    const line = await openLine(failing(), { revision: MODERN });
    const notifications = { resourceSubscriptions: ["x://some"] };
    const error = errorIn(await line.request("subscriptions/listen", { notifications }));
    expect(error).toMatchObject({ code: -32602, data: { "dev.suite/error": { code: "not_found" } } });
  });
});

describe("whoever listens to what it may not", () => {
  const open = (): Promise<Line> => {
    const admitSubscriber = (uri: string): void => {
      if (uri === "x://2") throw new Fault("permission_denied", "It is not yours.");
    };
    const subscribe = () => () => undefined;
    const resources = ["x://1", "x://2"].map((uri) =>
      defineResource({ uri, name: uri, read: () => "", subscribe }),
    );
    const server = serverOf([toolThat(echo)], {}, { resources, admitSubscriber });
    return openLine(server, { revision: MODERN });
  };

  it.each([
    [{ resourceSubscriptions: ["x://1", "x://2"] }, { resourceSubscriptions: ["x://1"] }],
    [{ resourceSubscriptions: ["x://2"], resourcesListChanged: true }, { resourcesListChanged: true }],
  ])("listens to the rest: %j", async (notifications, honoured) => {
    const line = await open();
    line.begin("subscriptions/listen", { notifications });
    const acknowledged = await line.hear(isCalled("notifications/subscriptions/acknowledged"));
    expect(acknowledged).toMatchObject({ params: { notifications: honoured } });
    expect(JSON.stringify(acknowledged)).not.toContain("x://2");
  });

  it.each([
    [{ resourceSubscriptions: ["x://2"] }, "permission_denied"],
    [{ resourceSubscriptions: ["x://2"], toolsListChanged: false, taskIds: [] }, "permission_denied"],
    [{ resourceSubscriptions: ["x://2", 7] }, "invalid_input"],
  ])("is refused where that leaves nothing, or nonsense: %j", async (notifications, code) => {
    const line = await open();
    const error = errorIn(await line.request("subscriptions/listen", { notifications }));
    expect(error.data["dev.suite/error"]).toMatchObject({ code });
  });
});

it("nobody listens to more than can be admitted quickly", async () => {
  const line = await openLine(serverOf([toolThat(echo)]), { revision: MODERN });
  const resourceSubscriptions = Array.from({ length: 501 }, (_, at) => `x://${at}`);
  const answer = await line.request("subscriptions/listen", { notifications: { resourceSubscriptions } });
  expect(errorIn(answer).message).toBe("At most 500 resources can be listened to in one request.");
});

it("whoever listens has no deadline", async () => {
  const server = serverOf([toolThat(echo)], { timeoutMs: 20 });
  const line = await openLine(server, { revision: MODERN });
  const params = { notifications: { toolsListChanged: true } };
  const listening = line.request("subscriptions/listen", params);
  // A deadline would have been over, and so would the time that work gets to stop by itself.
  await sleep(1200);
  await server.dispose();
  expect(await listening).toMatchObject({ result: { resultType: "complete" } });
});
