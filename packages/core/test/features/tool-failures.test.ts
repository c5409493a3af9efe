import { describe, expect, it } from "vitest";
import type { Context } from "../../src/features/context.ts";
import { ToolEntry, type ToolDefinition } from "../../src/features/tool.ts";
import { callTool, type FailureReporting } from "../../src/features/tools.ts";
import {
  defineTool,
  FAILURE,
  invalidParams,
  isOfTheProtocol,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
  ProtocolError,
  ToolError,
} from "../../src/index.ts";

const NO_FAULTS: FailureReporting = { report: () => undefined, redact: (data) => data };

// None of these tools looks at its context.
const call = (tool: ToolDefinition, faults = NO_FAULTS): unknown =>
  callTool(new ToolEntry(tool), {}, {} as Context, faults);
const say = (run: () => unknown): ToolDefinition => ({ name: "t", description: "…", run });
const text = (value: string): object => ({ type: "text", text: value });
const SUM = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;

describe("a failure", () => {
  it.each([
    [
      "a ToolError",
      new ToolError("Try b instead", { meta: { "a.b/code": 7 } }),
      { _meta: { "a.b/code": 7 } },
    ],
    ["an Error", new Error("ENOENT: notes.txt"), {}],
  ])("of a tool is for the model to read: %s", async (_what, error, more) => {
    const expected = { content: [text(error.message)], isError: true, ...more, [FAILURE]: { at: "run" } };
    const throwing = (): never => {
      throw error;
    };
    expect(call(say(throwing))).toEqual(expected);
    expect(await call(say(() => Promise.reject(error)))).toEqual(expected);
  });

  it("that nobody meant for the model is reported, and its secrets are taken out", () => {
    const reported: unknown[] = [];
    const faults: FailureReporting = {
      report: (thrown) => reported.push(thrown),
      redact: (data) => String(data).replaceAll("hunter2", "***"),
    };
    const [unexpected, meant] = [new Error("hunter2 was refused"), new ToolError("Say hunter2")];
    const throwing = (error: Error) => (): never => {
      throw error;
    };
    expect(call(say(throwing(unexpected)), faults)).toMatchObject({ content: [text("*** was refused")] });
    expect(call(say(throwing(meant)), faults)).toMatchObject({ content: [text("Say hunter2")] });
    expect(reported).toEqual([unexpected]);
  });

  it("of the protocol stays one, at once and later", async () => {
    const error = new ProtocolError(-32001, "Stop");
    const throwing = (): never => {
      throw error;
    };
    expect(() => call(say(throwing))).toThrow(error);
    await expect(call(say(() => Promise.reject(error)))).rejects.toBe(error);
  });

  it("of `text` is one of the tool", () => {
    const broken = (): string => {
      throw new Error("cannot write");
    };
    const tool = defineTool({
      name: "t",
      description: "…",
      output: SUM,
      run: () => ({ sum: 1 }),
      text: broken,
    });
    expect(call(tool)).toEqual({
      content: [text("cannot write")],
      isError: true,
      [FAILURE]: { at: "output" },
    });
  });

  it("says where it was: in the arguments, with what is wrong with them", () => {
    const tool = defineTool({ name: "t", description: "…", input: SUM, run: () => "never" });
    expect(call(tool)).toMatchObject({
      isError: true,
      [FAILURE]: { at: "input", issues: [{ path: ["sum"], message: expect.any(String) as string }] },
    });
  });

  it.each([
    [new Error("no"), false, false],
    [new ToolError("no"), false, false],
    [invalidParams("no"), true, true],
    // A revision without a code for it leaves it to the tool to fail.
    [new ProtocolError(MISSING_REQUIRED_CLIENT_CAPABILITY, "no"), false, true],
  ])("is of the protocol in the legacy and modern eras: %s %s %s", (thrown, legacy, modern) => {
    const inEra = (era: "legacy" | "modern"): boolean =>
      isOfTheProtocol(thrown, { client: { era } as Context["client"] });
    expect([inEra("legacy"), inEra("modern")]).toEqual([legacy, modern]);
  });
});
