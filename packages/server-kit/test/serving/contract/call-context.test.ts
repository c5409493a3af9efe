import type { Context } from "@suite/core";
import { openLine } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import { CallContext } from "../../../src/serving/contract/call-context.ts";
import {
  accept,
  answer,
  callOn,
  isCalled,
  LAST_LEGACY,
  MODERN,
  type Run,
  serverOf,
  textOf,
  toolThat,
} from "./sample.ts";

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

const open = (run: Run, revision = LAST_LEGACY) =>
  openLine(serverOf([toolThat(run)], {}, { state: { name: "the state" } }), {
    revision,
    capabilities: CAPABILITIES,
  });

describe("the context of a call", () => {
  it.each([LAST_LEGACY, MODERN])("has everything that the core's has, in %s", async (revision) => {
    let seen: Context | undefined;
    const line = await open((_, context) => ((seen = context), { said: "" }), revision);
    await callOn(line, {}, { "dev.suite/x": 1 });
    expect(seen).toBeInstanceOf(CallContext);
    expect(seen).toMatchObject({
      state: { name: "the state" },
      requestId: revision === MODERN ? 1 : 2,
      principal: undefined,
      client: { revision, info: { name: "transcript" } },
      meta: { "dev.suite/x": 1 },
    });
    expect(seen?.signal.aborted).toBe(false);
  });

  it("may be taken apart", async () => {
    const run: Run = async (_, { elicit, sample, roots, log, progress, notify, detach }) => {
      log.info({ event: "started" });
      progress(1, 2, "half");
      notify.resourceUpdated("x:1");
      detach();
      const schema = { type: "object", properties: { yes: { type: "boolean" } } } as const;
      const { action } = await elicit({ message: "?", schema });
      const { model } = await sample({ messages: [], maxTokens: 1 });
      return { said: `${action} ${model} ${(await roots()).length}` };
    };
    const line = await open(run);
    const called = callOn(line, {}, { progressToken: "p" });
    await answer(line, "elicitation/create", accept({ yes: true }));
    await answer(line, "sampling/createMessage", {
      role: "assistant",
      model: "m",
      content: { type: "text", text: "" },
    });
    await answer(line, "roots/list", { roots: [{ uri: "file:///a" }] });
    expect(textOf(await called)).toBe("accept m 1");
    expect(await line.hear(isCalled("notifications/message"))).toMatchObject({
      params: { data: { event: "started" } },
    });
    expect(await line.hear(isCalled("notifications/progress"))).toMatchObject({
      params: { progress: 1, total: 2, message: "half" },
    });
  });
});
