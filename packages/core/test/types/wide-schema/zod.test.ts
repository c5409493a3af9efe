import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../src/index.ts";

// Types that recurse over members one by one give up on this many (TS2589).
const facts = { name: "wide", description: "…" };

const wideZod = z.object({
  f0: z.number().optional(),
  f1: z.string(),
  f2: z.string(),
  f3: z.number().optional(),
  f4: z.string(),
  f5: z.string(),
  f6: z.number().optional(),
  f7: z.string(),
  f8: z.string(),
  f9: z.number().optional(),
  f10: z.string(),
  f11: z.string(),
  f12: z.number().optional(),
  f13: z.string(),
  f14: z.string(),
  f15: z.number().optional(),
  f16: z.string(),
  f17: z.string(),
  f18: z.number().optional(),
  f19: z.string(),
  f20: z.string(),
  f21: z.number().optional(),
  f22: z.string(),
  f23: z.string(),
  f24: z.number().optional(),
  f25: z.string(),
  f26: z.string(),
  f27: z.number().optional(),
  f28: z.string(),
  f29: z.string(),
  f30: z.number().optional(),
  f31: z.string(),
  f32: z.string(),
  f33: z.number().optional(),
  f34: z.string(),
  f35: z.string(),
  f36: z.number().optional(),
  f37: z.string(),
  f38: z.string(),
  f39: z.number().optional(),
  f40: z.string(),
  f41: z.string(),
  f42: z.number().optional(),
  f43: z.string(),
  f44: z.string(),
  f45: z.number().optional(),
  f46: z.string(),
  f47: z.string(),
  f48: z.number().optional(),
  f49: z.string(),
  f50: z.string(),
  f51: z.number().optional(),
  f52: z.string(),
  f53: z.string(),
  f54: z.number().optional(),
  f55: z.string(),
  f56: z.string(),
  f57: z.number().optional(),
  f58: z.string(),
  f59: z.string(),
});

describe("a schema with sixty fields", () => {
  it("is no trouble in zod", () => {
    const tool = defineTool({
      ...facts,
      input: wideZod,
      output: wideZod,
      run: (input) => input,
      text: ({ f58 }) => f58,
    });
    defineTool({
      ...facts,
      input: wideZod,
      run({ f0, f59, f58 }) {
        expectTypeOf(f0).toEqualTypeOf<number | undefined>();
        expectTypeOf([f59, f58]).toEqualTypeOf<string[]>();
        return f58;
      },
    });
    // @ts-expect-error fifty-nine are missing
    defineTool({ ...facts, output: wideZod, run: () => ({ f1: "x" }) });
    expect(tool.input).toBe(wideZod);
  });
});
