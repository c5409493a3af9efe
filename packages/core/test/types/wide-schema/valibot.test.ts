import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defineTool } from "../../../src/index.ts";

// Types that recurse over members one by one give up on this many (TS2589).
const facts = { name: "wide", description: "…" };

const wideValibot = v.object({
  f0: v.optional(v.number()),
  f1: v.string(),
  f2: v.string(),
  f3: v.optional(v.number()),
  f4: v.string(),
  f5: v.string(),
  f6: v.optional(v.number()),
  f7: v.string(),
  f8: v.string(),
  f9: v.optional(v.number()),
  f10: v.string(),
  f11: v.string(),
  f12: v.optional(v.number()),
  f13: v.string(),
  f14: v.string(),
  f15: v.optional(v.number()),
  f16: v.string(),
  f17: v.string(),
  f18: v.optional(v.number()),
  f19: v.string(),
  f20: v.string(),
  f21: v.optional(v.number()),
  f22: v.string(),
  f23: v.string(),
  f24: v.optional(v.number()),
  f25: v.string(),
  f26: v.string(),
  f27: v.optional(v.number()),
  f28: v.string(),
  f29: v.string(),
  f30: v.optional(v.number()),
  f31: v.string(),
  f32: v.string(),
  f33: v.optional(v.number()),
  f34: v.string(),
  f35: v.string(),
  f36: v.optional(v.number()),
  f37: v.string(),
  f38: v.string(),
  f39: v.optional(v.number()),
  f40: v.string(),
  f41: v.string(),
  f42: v.optional(v.number()),
  f43: v.string(),
  f44: v.string(),
  f45: v.optional(v.number()),
  f46: v.string(),
  f47: v.string(),
  f48: v.optional(v.number()),
  f49: v.string(),
  f50: v.string(),
  f51: v.optional(v.number()),
  f52: v.string(),
  f53: v.string(),
  f54: v.optional(v.number()),
  f55: v.string(),
  f56: v.string(),
  f57: v.optional(v.number()),
  f58: v.string(),
  f59: v.string(),
});

describe("a schema with sixty fields", () => {
  it("is no trouble in valibot", () => {
    const schema = toStandardJsonSchema(wideValibot);
    const tool = defineTool({
      ...facts,
      input: schema,
      output: schema,
      run: (input) => input,
      text: ({ f58 }) => f58,
    });
    defineTool({
      ...facts,
      input: schema,
      run({ f0, f59, f58 }) {
        expectTypeOf(f0).toEqualTypeOf<number | undefined>();
        expectTypeOf([f59, f58]).toEqualTypeOf<string[]>();
        return f58;
      },
    });
    // @ts-expect-error fifty-nine are missing
    defineTool({ ...facts, output: schema, run: () => ({ f1: "x" }) });
    expect(tool.input).toBe(schema);
  });
});
