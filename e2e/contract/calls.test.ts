import { describe, expect, it } from "vitest";

import { makeValue, type SampleCall } from "@suite/check";
import {
  callTool,
  CAPABLE,
  contentOf,
  converse,
  type Fields,
  isWriter,
  type ListedTool,
  listTools,
  type Message,
  META_CLIENT_CAPABILITIES,
  textOf,
} from "@suite/check/wires";
import { errorOf } from "../support/calls.ts";
import { complaintsAboutViews } from "../support/views.ts";
import type { Wire } from "../support/wire.ts";
import type { ContractServer } from "./contract-server.ts";
import { openStage } from "./program.ts";
import { SERVERS } from "./servers.ts";
import { describeOnUnix } from "../support/programs.ts";

const ANSWER = { model: "m", role: "assistant", content: { type: "text", text: "A short answer." } };
const NOTHING: SampleCall = { name: "nothing", args: {} };
const NOBODY_TO_ASK = { [META_CLIENT_CAPABILITIES]: { sampling: {} } };
const DRY_RUN = "Dry run: nothing was changed.";

interface KnownCall extends SampleCall {
  readonly tool: ListedTool;
  readonly isDryRun: boolean;
}

/** A server with its stage, and the calls that work on it one after the other. */
async function openCalls(
  server: ContractServer,
  options: readonly string[] = [],
): Promise<{
  readonly wire: Wire;
  readonly tools: readonly ListedTool[];
  readonly calls: readonly KnownCall[];
}> {
  const { wire, stage } = await openStage(server, options, { capabilities: CAPABLE });
  const tools = await listTools(wire);
  const calls = (stage.calls ?? []).flatMap(({ name, args }) => {
    const tool = tools.find((one) => one.name === name);
    return tool ? [{ name, args, tool, isDryRun: args["dry_run"] === true }] : [];
  });
  return { wire, tools, calls };
}

/** Without those that only read, which change nothing for the others. */
async function openWrites(...given: Parameters<typeof openCalls>): ReturnType<typeof openCalls> {
  const { calls, ...opened } = await openCalls(...given);
  return { ...opened, calls: calls.filter(({ tool }) => isWriter(tool)) };
}

/** A call by a client that says yes to every question, or no. */
const call = (wire: Wire, { name, args }: SampleCall, { isAgreed = true, meta = {} } = {}) =>
  converse(
    wire,
    "tools/call",
    { name, arguments: args, _meta: meta },
    {
      "elicitation/create": ({ requestedSchema }) =>
        isAgreed
          ? { action: "accept", content: makeValue(requestedSchema as Fields, { agrees: true }) }
          : { action: "decline" },
      "sampling/createMessage": () => ANSWER,
    },
  );

const isDestructive = ({ tool, isDryRun }: KnownCall): boolean =>
  !isDryRun && tool.annotations?.["destructiveHint"] === true;

/** Nothing, where it worked. */
const failureOf = ({ result, error }: Message, { name, args }: SampleCall): readonly string[] =>
  result && result["isError"] !== true
    ? []
    : [`${name} ${JSON.stringify(args)}: ${JSON.stringify(result ?? error)}`];

/** What is wrong with how it is tried. */
async function tryFirst(wire: Wire, { name, args }: SampleCall): Promise<readonly string[]> {
  const trial = { name, args: { ...args, dry_run: true } };
  const { response, asked } = await call(wire, trial);
  return [
    ...failureOf(response, trial),
    ...asked.map(({ method }) => `${name} asks for ${method} in a dry run`),
    ...complaintsAboutViews(response, trial.args).map((words) => `${name}: ${words}`),
  ];
}

/** What is wrong with how it takes a no, and nobody to ask. What loses nothing is asked of nobody, and is done. */
async function refuse(wire: Wire, one: SampleCall) {
  const { response, asked } = await call(wire, one, { isAgreed: false });
  if (asked.length === 0) return { isDone: true, problems: failureOf(response, one) };
  const unasked = await call(wire, one, { meta: NOBODY_TO_ASK });
  const codes = [response, unasked.response].map((refusal) => errorOf(refusal).code);
  const isRefused = codes.join() === "cancelled,permission_denied";
  return { isDone: false, problems: isRefused ? [] : [`${one.name}: ${codes.join()}`] };
}

describe.each(SERVERS)("calls of $name", (server) => {
  it("that change something happen once for one key, whatever else is asked with it", async () => {
    const { wire, calls } = await openWrites(server);
    for (const [at, one] of calls.entries()) {
      if (one.isDryRun) continue;
      const meta = { "dev.suite/idempotencyKey": `key ${at}` };
      const ask = async (args: Fields): Promise<Message> =>
        (await call(wire, { name: one.name, args }, { meta })).response;
      const first = await ask(one.args);
      expect(failureOf(first, one)).toEqual([]);
      expect((await ask(one.args)).result, one.name).toEqual(first.result);
      const other = await ask({ ...one.args, dry_run: false });
      expect(errorOf(other), one.name).toMatchObject({ code: "conflict", retryable: false });
    }
  });

  it("that change something can be tried first, and are done once a person agrees who can be asked and may refuse", async () => {
    const { wire, calls } = await openWrites(server, ["--confirm"]);
    const problems: string[] = [];
    let isAnyRefused = false;
    for (const one of calls) {
      if (!one.isDryRun) problems.push(...(await tryFirst(wire, one)));
      const refused = isDestructive(one) ? await refuse(wire, one) : undefined;
      problems.push(...(refused?.problems ?? []));
      isAnyRefused ||= refused?.isDone === false;
      if (!refused?.isDone) problems.push(...failureOf((await call(wire, one)).response, one));
    }
    expect(problems).toEqual([]);
    expect(isAnyRefused).toBe(calls.some(isDestructive));
  });

  it.each(["text", "structured"])("say everything to those who read the %s alone", async (view) => {
    const { wire, tools, calls } = await openCalls(server, ["--results", view]);
    expect(view === "text" && tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(false);
    expect(calls).not.toEqual([]);
    for (const one of calls) {
      const { response } = await call(wire, one);
      expect(failureOf(response, one)).toEqual([]);
      const structured = response.result?.["structuredContent"] as Fields | undefined;
      const text = view === "text" ? textOf(response) : JSON.stringify(structured);
      expect(structured === undefined, one.name).toBe(view === "text");
      expect(text, one.name).toMatch(/\S/);
      expect(one.isDryRun && !text.includes(DRY_RUN), one.name).toBe(false);
      // The other reader is only told where to look: in one line, or beside a picture.
      const blocks = contentOf(response);
      const { text: hint = "" } = blocks.find(({ type }) => type === "text") ?? {};
      const isShort = blocks.length === 1 ? /^.{1,200}$/ : /^[^]{1,200}$/;
      expect(view === "text" || isShort.test(hint), one.name).toBe(true);
    }
  });
});

/** What makes them take long is a part of their stage. */
describe.each(SERVERS.filter(({ name }) => ["fixture", "filesystem", "sqlite", "fetch"].includes(name)))(
  "long calls of $name",
  (server) => {
    it("end at their deadline, and say so", async () => {
      const { wire, stage } = await openStage(server);
      const { name, args } = stage.slow ?? NOTHING;
      const meta = { "dev.suite/timeoutMs": 50 };
      const stopped = await callTool(wire, name, args, { meta });
      expect(errorOf(stopped)).toMatchObject({
        code: "timeout",
        retryable: true,
        details: { timeoutMs: 50 },
      });
      expect(textOf(stopped)).toContain("0.05 seconds");
    });

    describeOnUnix("when it is told to end", () => {
      it.each(["SIGTERM", "SIGINT"] as const)("end with the server on %s", async (signal) => {
        const { wire, stage } = await openStage(server);
        const { name, args } = stage.slow ?? NOTHING;
        wire.send("tools/call", { name, arguments: args });
        // It has read the call once it answers what was asked after it.
        await wire.request("server/discover");
        expect(await wire.kill(signal)).toMatchObject({ code: 0, signal: null });
      });
    });
  },
);
