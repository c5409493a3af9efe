import { createServer as createCoreServer } from "@suite/core";
import { createServer as createKitServer, defaultContract } from "@suite/server-kit";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z3 from "zod/v3";
import * as z from "zod";

const FAULTS: readonly (readonly [what: string, input: unknown, error: RegExp])[] = [
  ["an object of zod 3", z3.object({ a: z3.string() }), /zod, use version 4\.2 or later/],
  ["a bare schema of valibot", v.object({ a: v.string() }), /toStandardJsonSchema/],
  ["a raw shape", { a: z.string() }, /wrap it, such as in z\.object/],
  ["a raw shape of zod 3", { type: z3.string() }, /wrap it, such as in z\.object/],
  ["a raw shape in JSON", { path: { type: "string" } }, /no keyword of JSON Schema: write { type: "object"/],
  ["a raw shape with a title", { title: { type: "string" } }, /no keyword of JSON Schema/],
  ["a string", { type: "string" }, /has type "string", but arguments are always an object/],
  [
    "a misspelt type",
    { type: "object", properties: { n: { type: "intger" } } },
    /type must be one of .*#\/properties\/n\/type/,
  ],
  ["a name", "string", /must be a schema/],
  ["a date", z.object({ at: z.date() }), /cannot be written as JSON Schema: .*[Dd]ate/],
  ["a string of zod", z.string(), /has type "string", but arguments are always an object/],
  ["a shape in JSON", { type: "object", properties: { a: z3.string() } }, /one schema of the library/],
];

const SOUND: readonly unknown[] = [
  z.object({ a: z.string() }),
  { type: "object" },
  {},
  { $ref: "#/$defs/a", $defs: { a: { type: "object" } } },
  { type: "object", properties: { title: { type: ["string", "null"] } }, "x-own": 1 },
];

const facts = { name: "broken", description: "Does nothing.", effects: "read" } as const;
const server = { name: "t", version: "1", state: undefined };

/** As authors write it in JavaScript, where no compiler objects. */
const CREATE: { readonly [name: string]: (tools: unknown) => unknown } = {
  core: (tools) => createCoreServer({ ...server, tools: tools as never }),
  kit: (tools) => createKitServer({ ...server, tools: tools as never }, defaultContract),
};

describe.each(Object.keys(CREATE))("createServer of the %s", (name) => {
  const create = CREATE[name] ?? expect.fail();
  const toTool = (input: unknown): object => ({
    ...facts,
    ...(name === "kit" && { title: "T", affects: "nothing", output: { type: "object" }, text: () => "" }),
    input,
    run: () => ({}),
  });

  it.each(FAULTS)("refuses %s, and says what to write instead", (_, input, error) => {
    expect(() => create([toTool(input)])).toThrow(error);
    expect(() => create([toTool(input)])).toThrow('input of tool "broken"');
  });

  it("takes what works", () => {
    for (const input of SOUND) expect(() => create([toTool(input)])).not.toThrow();
  });

  it("says which entry of the list is no tool", () => {
    expect(() => create([toTool({}), null])).toThrow("tools[1] must be an object");
  });

  it.each([[{ broken: toTool({}) }], [toTool({})], [new Set()]])("refuses %o for a list", (tools) => {
    expect(() => create(tools)).toThrow("tools must be a list: write tools: [ … ]");
  });
});
