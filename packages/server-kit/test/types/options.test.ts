import { expectTypeOf, it } from "vitest";

import { defineOptions, type OptionsOf, type OptionSpec } from "../../src/serving/options/option.ts";
import type { ProgramOptions } from "../../src/serving/program/program.ts";

const description = "…";
const table = defineOptions({
  path: { type: "string", description },
  pathOr: { type: "string", default: "a", description },
  pathMust: { type: "string", required: true, description },
  loud: { type: "boolean", description },
  count: { type: "integer", description },
  wait: { type: "duration", default: 0, description },
  names: { type: "list", description },
  colour: { type: "enum", values: ["red", "green"], description },
  colourOr: { type: "enum", values: ["red", "green"], default: "red", description },
});

it("options have the types that the table gives them", () => {
  expectTypeOf<OptionsOf<typeof table>>().toEqualTypeOf<{
    readonly path: string | undefined;
    readonly pathOr: string;
    readonly pathMust: string;
    readonly loud: boolean;
    readonly count: number | undefined;
    readonly wait: number;
    readonly names: readonly string[];
    readonly colour: "red" | "green" | undefined;
    readonly colourOr: "red" | "green";
  }>();
});

it("the common ones are always among them", () => {
  expectTypeOf<ProgramOptions>().toHaveProperty("http").toEqualTypeOf<string | undefined>();
  expectTypeOf<ProgramOptions["logLevel"]>().toEqualTypeOf<"debug" | "info" | "warning" | "error" | "off">();
  expectTypeOf<ProgramOptions<typeof table>["colour"]>().toEqualTypeOf<"red" | "green" | undefined>();
  expectTypeOf<ProgramOptions<typeof table>["sse"]>().toEqualTypeOf<boolean>();
});

it("a secret has no flag, and a default of the wrong type is none", () => {
  expectTypeOf<{ type: "string"; secret: true; env: "A"; description: string }>().toExtend<OptionSpec>();
  expectTypeOf<{
    type: "string";
    secret: true;
    env: "A";
    flag: "--a";
    description: string;
  }>().not.toExtend<OptionSpec>();
  expectTypeOf<{ type: "integer"; default: "1"; description: string }>().not.toExtend<OptionSpec>();
});
