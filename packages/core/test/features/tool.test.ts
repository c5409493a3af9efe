import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolEntry } from "../../src/features/tool.ts";
import { defineTool } from "../../src/index.ts";

const listed = (config: Partial<Parameters<typeof defineTool>[0]>): unknown =>
  new ToolEntry(defineTool({ name: "t", description: "…", run: () => "x", ...config } as never)).listed();

describe("a listed tool", () => {
  it("without input takes an object with nothing in it", () => {
    expect(listed({})).toEqual({
      name: "t",
      description: "…",
      inputSchema: { type: "object", additionalProperties: false },
    });
  });

  it("keeps plain JSON Schema word for word", () => {
    const input = { type: "object", $defs: { a: { $anchor: "a" } }, "x-mine": 1, anyOf: [{}, true] };
    expect(listed({ input })).toMatchObject({ inputSchema: input });
  });

  it("has an object at its root, whatever the schema says", () => {
    expect(listed({ input: { properties: {} } })).toMatchObject({
      inputSchema: { type: "object", properties: {} },
    });
  });

  it("says what its input accepts and what its output gives", () => {
    const schema = z.object({ n: z.number().default(1) });
    const tool = listed({ input: schema, output: schema, run: (() => ({})) as never });
    expect(tool).toMatchObject({
      inputSchema: { properties: { n: { default: 1 } } },
      outputSchema: { required: ["n"] },
    });
    expect((tool as { inputSchema: object }).inputSchema).not.toHaveProperty("required");
  });

  it.each([
    ["read", { readOnlyHint: true }],
    ["write", { readOnlyHint: false, destructiveHint: false }],
    ["destructive", { readOnlyHint: false, destructiveHint: true }],
  ] as const)("has annotations that follow from its effects: %s", (effects, annotations) => {
    expect(listed({ effects })).toMatchObject({ annotations });
    const more = { idempotentHint: true, title: "T" };
    expect(listed({ effects, annotations: more })).toMatchObject({
      annotations: { ...annotations, ...more },
    });
  });

  it("has all else that was said of it", () => {
    const icons = [{ src: "data:,", sizes: ["any"] }];
    expect(listed({ title: "T", icons, meta: { "a.b/c": 1 } })).toMatchObject({
      title: "T",
      icons,
      _meta: { "a.b/c": 1 },
    });
  });
});
