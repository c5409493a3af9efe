import { type } from "arktype";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defineTool } from "../../../src/index.ts";

// Types that recurse over members one by one give up on this many (TS2589).
const facts = { name: "wide", description: "…" };

const wideArktype = type({
  "f0?": "number",
  f1: "string",
  f2: "string",
  "f3?": "number",
  f4: "string",
  f5: "string",
  "f6?": "number",
  f7: "string",
  f8: "string",
  "f9?": "number",
  f10: "string",
  f11: "string",
  "f12?": "number",
  f13: "string",
  f14: "string",
  "f15?": "number",
  f16: "string",
  f17: "string",
  "f18?": "number",
  f19: "string",
  f20: "string",
  "f21?": "number",
  f22: "string",
  f23: "string",
  "f24?": "number",
  f25: "string",
  f26: "string",
  "f27?": "number",
  f28: "string",
  f29: "string",
  "f30?": "number",
  f31: "string",
  f32: "string",
  "f33?": "number",
  f34: "string",
  f35: "string",
  "f36?": "number",
  f37: "string",
  f38: "string",
  "f39?": "number",
  f40: "string",
  f41: "string",
  "f42?": "number",
  f43: "string",
  f44: "string",
  "f45?": "number",
  f46: "string",
  f47: "string",
  "f48?": "number",
  f49: "string",
  f50: "string",
  "f51?": "number",
  f52: "string",
  f53: "string",
  "f54?": "number",
  f55: "string",
  f56: "string",
  "f57?": "number",
  f58: "string",
  f59: "string",
});

describe("a schema with sixty fields", () => {
  it("is no trouble in arktype", () => {
    const tool = defineTool({
      ...facts,
      input: wideArktype,
      output: wideArktype,
      run: (input) => input,
      text: ({ f58 }) => f58,
    });
    defineTool({
      ...facts,
      input: wideArktype,
      run({ f0, f59, f58 }) {
        expectTypeOf(f0).toEqualTypeOf<number | undefined>();
        expectTypeOf([f59, f58]).toEqualTypeOf<string[]>();
        return f58;
      },
    });
    // @ts-expect-error fifty-nine are missing
    defineTool({ ...facts, output: wideArktype, run: () => ({ f1: "x" }) });
    expect(tool.input).toBe(wideArktype);
  });
});
