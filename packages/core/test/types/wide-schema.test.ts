import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.ts";

const DIGITS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;

const inTens = <Tens extends string>(tens: readonly Tens[]): `${Tens}${(typeof DIGITS)[number]}`[] =>
  tens.flatMap((ten) => DIGITS.map((digit) => `${ten}${digit}` as const));

/** From s00 to s39, and from n00 to n19. */
const STRINGS = inTens(["s0", "s1", "s2", "s3"]);
const NUMBERS = inTens(["n0", "n1"]);

const each = <Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;

const facts = { name: "wide", description: "…" };
type Some = { n00: number | undefined; s38: string; s39: string };

// Types that recurse over members one by one give up on this many (TS2589).
describe("a schema with sixty fields", () => {
  it("is no trouble in zod", () => {
    const wide = z.object({ ...each(STRINGS, z.string()), ...each(NUMBERS, z.number().optional()) });
    const both = { ...facts, input: wide, output: wide };
    const tool = defineTool({ ...both, run: (input) => input, text: ({ s38 }) => s38 });
    defineTool({
      ...facts,
      input: wide,
      run: ({ n00, s38, s39 }) => (expectTypeOf({ n00, s38, s39 }).toEqualTypeOf<Some>(), s38),
    });
    // @ts-expect-error thirty-nine are missing
    defineTool({ ...facts, output: wide, run: () => ({ s00: "x" }) });
    expect(tool.input).toBe(wide);
    expect(Object.keys(wide.shape)).toHaveLength(60);
  });

  it("is no trouble in valibot", () => {
    const object = v.object({ ...each(STRINGS, v.string()), ...each(NUMBERS, v.optional(v.number())) });
    const wide = toStandardJsonSchema(object);
    const both = { ...facts, input: wide, output: wide };
    const tool = defineTool({ ...both, run: (input) => input, text: ({ s38 }) => s38 });
    defineTool({
      ...facts,
      input: wide,
      run: ({ n00, s38, s39 }) => (expectTypeOf({ n00, s38, s39 }).toEqualTypeOf<Some>(), s38),
    });
    // @ts-expect-error thirty-nine are missing
    defineTool({ ...facts, output: wide, run: () => ({ s00: "x" }) });
    expect(tool.input).toBe(wide);
  });

  it("is no trouble in arktype", () => {
    const optional = NUMBERS.map((name) => `${name}?` as const);
    const wide = type({ ...each(STRINGS, "string" as const), ...each(optional, "number" as const) });
    const both = { ...facts, input: wide, output: wide };
    const tool = defineTool({ ...both, run: (input) => input, text: ({ s38 }) => s38 });
    defineTool({
      ...facts,
      input: wide,
      run: ({ n00, s38, s39 }) => (expectTypeOf({ n00, s38, s39 }).toEqualTypeOf<Some>(), s38),
    });
    // @ts-expect-error thirty-nine are missing
    defineTool({ ...facts, output: wide, run: () => ({ s00: "x" }) });
    expect(tool.input).toBe(wide);
  });

  it("is no trouble in JSON Schema", () => {
    const [string, number] = [{ type: "string" }, { type: "number" }] as const;
    const properties = { ...each(STRINGS, string), ...each(NUMBERS, number) };
    const wide = { type: "object", properties, required: STRINGS } as const;
    const both = { ...facts, input: wide, output: wide };
    const tool = defineTool({ ...both, run: (input) => input, text: ({ s38 }) => s38 });
    defineTool({
      ...facts,
      input: wide,
      run: ({ n00, s38, s39 }) => (expectTypeOf({ n00, s38, s39 }).toEqualTypeOf<Some>(), s38),
    });
    // @ts-expect-error thirty-nine are missing
    defineTool({ ...facts, output: wide, run: () => ({ s00: "x" }) });
    expect(tool.input).toBe(wide);
  });
});
