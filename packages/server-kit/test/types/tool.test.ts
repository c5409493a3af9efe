import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { expect, expectTypeOf, it } from "vitest";

import { defineFor, type ToolContext, type ToolDefinition } from "../../src/serving/contract/tool.ts";

interface State {
  readonly roots: readonly string[];
}

const input = schema(v.strictObject({ path: v.string(), limit: v.optional(v.number(), 10) }));
const output = schema(v.object({ size: v.number(), changed: v.array(v.string()) }));

it("a tool's functions are told what its schemas say", () => {
  const tool = defineFor<State>().defineTool({
    name: "t",
    title: "T",
    description: "…",
    effects: "write",
    affects: "files",
    input,
    output,
    targets(given, state) {
      expectTypeOf(state).toEqualTypeOf<State>();
      expectTypeOf(given).toEqualTypeOf<{ path: string; limit: number }>();
      return [given.path, ...state.roots];
    },
    confirm(given) {
      expectTypeOf(given.limit).toEqualTypeOf<number>();
      return given.path;
    },
    run(given, context) {
      expectTypeOf(context).toEqualTypeOf<ToolContext<State>>();
      expectTypeOf(given).toEqualTypeOf<{ path: string; limit: number }>();
      return { size: given.limit, changed: [...context.state.roots] };
    },
    text(result, given) {
      expectTypeOf(given.limit).toEqualTypeOf<number>();
      expectTypeOf(result).toEqualTypeOf<{ size: number; changed: string[] }>();
      return `${result.size}`;
    },
  });
  expectTypeOf(tool).toEqualTypeOf<ToolDefinition<State>>();
  expect(tool.name).toBe("t");
});

it("a tool that needs no state fits every server, one that does fits its own", () => {
  expectTypeOf<ToolDefinition>().toExtend<ToolDefinition<State>>();
  expectTypeOf<ToolDefinition<State>>().not.toExtend<ToolDefinition>();
});
