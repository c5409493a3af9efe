import * as v from "valibot";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Context } from "../../src/features/context.ts";
import { ToolEntry, type ToolDefinition } from "../../src/features/tool.ts";
import { callTool } from "../../src/features/tools.ts";
import { defineTool, Reply } from "../../src/index.ts";

// None of these tools looks at its context.
const NO_CONTEXT = {} as Context;
const NO_FAULTS = { report: () => undefined, redact: (data: unknown) => data };
const call = (tool: ToolDefinition, args = {}): unknown =>
  callTool(new ToolEntry(tool), args, NO_CONTEXT, NO_FAULTS);
const say = (run: () => unknown): ToolDefinition => ({ name: "t", description: "…", run });
const text = (value: string): object => ({ type: "text", text: value });

const SUM = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;
const PAIR = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
} as const;
const add = defineTool({
  name: "add",
  description: "Adds",
  input: PAIR,
  output: SUM,
  run: ({ a, b }) => ({ sum: a + b }),
});

describe("what a tool returns without an output schema", () => {
  it("may be a promise in all but name", async () => {
    const query = {};
    Reflect.set(query, "then", (settle: (value: string) => void) => settle("rows"));
    expect(await call(say(() => query))).toEqual({ content: [text("rows")] });
  });

  it.each<[unknown, object[]]>([
    ["text", [text("text")]],
    ["", [text("")]],
    [undefined, []],
    [
      { type: "image", data: "AA==", mimeType: "image/png" },
      [{ type: "image", data: "AA==", mimeType: "image/png" }],
    ],
    [
      [text("a"), text("b")],
      [text("a"), text("b")],
    ],
    [[], []],
  ])("becomes content, at once and later: %j", async (returned, content) => {
    expect(call(say(() => returned))).toEqual({ content });
    const later = call(say(() => Promise.resolve(returned)));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual({ content });
  });

  it("may be a Reply, with all that a result can have", () => {
    const reply = new Reply({ content: "no", isError: true, meta: { "a.b/c": 1 } });
    expect(call(say(() => reply))).toEqual({ content: [text("no")], isError: true, _meta: { "a.b/c": 1 } });
    expect(call(say(() => new Reply({})))).toEqual({ content: [text("")] });
  });
});

describe("a structured result", () => {
  it("is there for the program and, as JSON, for the model", () => {
    expect(call(add, { a: 1, b: 2 })).toEqual({
      content: [text('{"sum":3}')],
      structuredContent: { sum: 3 },
    });
  });

  it("is written by `text` where there is one", () => {
    const tool = defineTool({
      name: "t",
      description: "…",
      output: SUM,
      run: () => ({ sum: 3 }),
      text: ({ sum }) => `= ${sum}`,
    });
    expect(call(tool)).toEqual({ content: [text("= 3")], structuredContent: { sum: 3 } });
  });

  it("may come in a Reply with its own content", () => {
    const run = (): Reply<{ sum: number }> =>
      new Reply({ structured: { sum: 1 }, content: "one", meta: { "x/y": 1 } });
    const tool = defineTool({ name: "t", description: "…", output: SUM, run });
    expect(call(tool)).toEqual({
      content: [text("one")],
      structuredContent: { sum: 1 },
      _meta: { "x/y": 1 },
    });
  });

  it("may be missing when a Reply reports failure, and only then", () => {
    const failing = defineTool({
      name: "t",
      description: "…",
      output: SUM,
      run: () => new Reply<never>({ content: "no", isError: true }),
    });
    expect(call(failing)).toEqual({ content: [text("no")], isError: true });
    const empty = defineTool({
      name: "t",
      description: "…",
      output: SUM,
      run: () => new Reply<never>({ content: "no" }),
    });
    expect(call(empty)).toMatchObject({ isError: true });
  });

  it("that breaks its own schema never leaves", async () => {
    const wrong = { ...say(() => ({ sum: "three" })), output: SUM };
    const complaint = expect.stringMatching(
      /^Tool t returned a result that does not match its output schema:\n- sum: /,
    ) as string;
    expect(call(wrong)).toMatchObject({ content: [{ type: "text", text: complaint }], isError: true });
    const later = { ...say(() => Promise.resolve({ sum: "three" })), output: SUM };
    expect(await call(later)).toMatchObject({ content: [{ type: "text", text: complaint }], isError: true });
  });

  it("is what validation made of it, also when that takes time", async () => {
    const output = z.object({ n: z.string().transform(async (given) => given.length) });
    const tool = defineTool({
      name: "t",
      description: "…",
      output: asStandard(output),
      run: () => ({ n: "four" }),
    });
    await expect(call(tool)).resolves.toMatchObject({ structuredContent: { n: 4 } });
  });
});

/** zod cannot say the JSON Schema of a transformation; any will do here. */
const asStandard = <S extends z.ZodType>(schema: S): S =>
  Object.assign(Object.create(schema) as S, {
    "~standard": {
      ...schema["~standard"],
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
    },
  });

describe("arguments", () => {
  it.each([
    ["JSON Schema", PAIR],
    ["zod", z.object({ a: z.number(), b: z.number() })],
    ["valibot", toStandardJsonSchema(v.object({ a: v.number(), b: v.number() }))],
  ])("that are wrong are told to the model, which can mend them: %s", async (_library, input) => {
    const tool = { ...add, input };
    const result = await call(tool, { a: "1" });
    const complaint = expect.stringMatching(
      /^Invalid arguments for tool add:\n(- [ab]: .*\n?){2}$/,
    ) as string;
    expect(result).toMatchObject({ content: [{ type: "text", text: complaint }], isError: true });
    expect(await call(tool, { a: 1, b: 1 })).toMatchObject({ structuredContent: { sum: 2 } });
  });

  it("of a tool without input must be none", () => {
    expect(call(say(() => "ran"))).toEqual({ content: [text("ran")] });
    expect(
      call(
        say(() => "ran"),
        { extra: 1 },
      ),
    ).toMatchObject({ isError: true });
  });

  it("are what validation made of them", () => {
    const input = z.object({ n: z.number().default(7) });
    const tool = defineTool({ name: "t", description: "…", input, run: ({ n }) => `${n}` });
    expect(call(tool)).toEqual({ content: [text("7")] });
  });
});
