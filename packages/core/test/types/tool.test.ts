import { type } from "arktype";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineTool, Reply, type InputOf, type OutputOf } from "../../src/index.ts";

const facts = { name: "t", description: "…" };

const zodInput = z.object({
  path: z.string(),
  line: z.number().optional(),
  mode: z.enum(["a", "b"]).default("a"),
});
const valibotInput = toStandardJsonSchema(
  v.object({ path: v.string(), line: v.optional(v.number()), mode: v.optional(v.picklist(["a", "b"]), "a") }),
);
const arktypeInput = type({ path: "string", "line?": "number", mode: "'a' | 'b' = 'a'" });
const jsonInput = {
  type: "object",
  properties: {
    path: { type: "string" },
    line: { type: "integer" },
    mode: { enum: ["a", "b"] },
    tags: { type: "array", items: { type: "string" } },
    nested: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
    always: { const: 7 },
    nothing: { type: "null" },
    open: {},
  },
  required: ["path"],
} as const;

describe("the input of a tool", () => {
  it("is what zod, valibot and arktype make of it", () => {
    type Made = { path: string; line?: number | undefined; mode: "a" | "b" };
    type MadeByArktype = { path: string; line?: number; mode: "a" | "b" };
    const inputs = [
      defineTool({
        ...facts,
        input: zodInput,
        run: (input) => (expectTypeOf(input).toEqualTypeOf<Made>(), input.path),
      }),
      defineTool({
        ...facts,
        input: valibotInput,
        run: (input) => (expectTypeOf(input).toEqualTypeOf<Made>(), input.path),
      }),
      defineTool({
        ...facts,
        input: arktypeInput,
        run: (input) => (expectTypeOf(input).toEqualTypeOf<MadeByArktype>(), input.path),
      }),
    ].map(({ input }) => input);
    expect(inputs).toEqual([zodInput, valibotInput, arktypeInput]);
  });

  it("follows from JSON Schema, written in place or elsewhere", () => {
    const tool = defineTool({
      ...facts,
      input: jsonInput,
      run(input) {
        expectTypeOf(input).toEqualTypeOf<{
          readonly path: string;
          readonly line?: number;
          readonly mode?: "a" | "b";
          readonly tags?: readonly string[];
          readonly nested?: { readonly on: boolean };
          readonly always?: 7;
          readonly nothing?: null;
          readonly open?: unknown;
        }>();
        return input.path;
      },
    });
    defineTool({
      ...facts,
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      run({ n }) {
        expectTypeOf(n).toBeNumber();
        return String(n);
      },
    });
    expect(tool.input).toBe(jsonInput);
  });

  it("is an open object when nothing is known of it", () => {
    const tool = defineTool({
      ...facts,
      run(input) {
        expectTypeOf(input).toEqualTypeOf<{ readonly [key: string]: unknown }>();
        return "x";
      },
    });
    expect(tool.input).toBeUndefined();
  });

  it("differs from what may be given", () => {
    expectTypeOf<InputOf<typeof zodInput>>().toEqualTypeOf<{
      path: string;
      line?: number | undefined;
      mode?: "a" | "b" | undefined;
    }>();
    expectTypeOf<OutputOf<typeof zodInput>["mode"]>().toEqualTypeOf<"a" | "b">();
    expect(zodInput.parse({ path: "x" })).toEqual({ path: "x", mode: "a" });
  });
});

describe("the result of a tool", () => {
  const sum = z.object({ sum: z.number() });

  it("must fit its output schema, alone or in a Reply, now or later", () => {
    defineTool({ ...facts, output: sum, run: () => ({ sum: 1 }) });
    defineTool({ ...facts, output: sum, run: async () => ({ sum: 1 }) });
    defineTool({ ...facts, output: sum, run: () => new Reply({ structured: { sum: 1 }, content: "one" }) });
    // @ts-expect-error the sum is text
    defineTool({ ...facts, output: sum, run: () => ({ sum: "1" }) });
    // @ts-expect-error the sum is missing
    defineTool({ ...facts, output: sum, run: () => ({}) });
    // @ts-expect-error the sum is text, later
    defineTool({ ...facts, output: sum, run: async () => ({ sum: "1" }) });
    // @ts-expect-error the structured part has another shape
    defineTool({ ...facts, output: sum, run: () => new Reply({ structured: { total: 1 } }) });
    // @ts-expect-error bare content is no structured result
    defineTool({ ...facts, output: sum, run: () => "1" });
    expect(sum.parse({ sum: 1 })).toEqual({ sum: 1 });
  });

  it("must be content when there is no output schema", () => {
    defineTool({ ...facts, run: () => undefined });
    defineTool({ ...facts, run: () => ({ type: "text", text: "x" }) });
    defineTool({ ...facts, run: async () => [{ type: "image", data: "", mimeType: "image/png" }] });
    defineTool({ ...facts, run: () => new Reply({ content: "x" }) });
    // @ts-expect-error a number is no content
    defineTool({ ...facts, run: () => 7 });
    // @ts-expect-error there is no such kind of content
    defineTool({ ...facts, run: () => ({ type: "video", data: "" }) });
    // @ts-expect-error nothing describes a structured part
    defineTool({ ...facts, run: () => new Reply({ structured: { sum: 1 } }) });
    expect(defineTool).toBeTypeOf("function");
  });

  it("is what `text` writes about, after validation", () => {
    const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    const tool = defineTool({
      ...facts,
      output,
      run: () => ({ n: 1 }),
      text(result) {
        expectTypeOf(result).toEqualTypeOf<{ readonly n: number }>();
        return `${result.n}`;
      },
    });
    // @ts-expect-error n is a number
    defineTool({ ...facts, output, run: () => ({ n: "1" }) });
    expect(tool.output).toBe(output);
  });
});

describe("a tool", () => {
  it("needs a name, a description and something to run", () => {
    // @ts-expect-error no description
    defineTool({ name: "t", run: () => "x" });
    // @ts-expect-error nothing to run
    defineTool(facts);
    // @ts-expect-error there is no such effect
    defineTool({ ...facts, effects: "none", run: () => "x" });
    // @ts-expect-error a schema is an object
    defineTool({ ...facts, input: "string", run: () => "x" });
    expect(defineTool).toBeTypeOf("function");
  });
});
