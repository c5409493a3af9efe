import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";

import { toOutputSchema } from "../../../src/serving/contract/output-schema.ts";
import { annotationsOf, toToolMeta } from "../../../src/serving/contract/tool-meta.ts";
import { defineFor, type ToolDefinition } from "../../../src/serving/contract/tool.ts";

const input = schema(v.strictObject({ path: v.pipe(v.string(), v.description("Where")) }));
const output = schema(v.object({ title: v.string() }));

const base: ToolDefinition = defineFor<unknown>().defineTool({
  name: "read",
  title: "Read",
  description: "Reads.",
  effects: "read",
  affects: "files",
  input,
  output,
  run: ({ path }) => ({ title: path }),
  text: ({ title }) => title,
});

const metaOf = (tool: ToolDefinition) => toToolMeta(tool, toOutputSchema(tool));

const schemaOf = (tool: ToolDefinition): string => String(metaOf(tool)["dev.suite/schema"]);

describe("what a tool says of itself", () => {
  it("is its version and digest, what it touches, and whether it repeats itself", () => {
    expect(metaOf(base)).toEqual({
      "dev.suite/schema": expect.stringMatching(/^1-[0-9a-f]{8}$/) as string,
      "dev.suite/effects": "files",
      "dev.suite/deterministic": true,
    });
    expect(metaOf({ ...base, version: 3, deterministic: false })).toMatchObject({
      "dev.suite/schema": schemaOf(base).replace("1-", "3-"),
      "dev.suite/deterministic": false,
    });
  });

  it("is that it stays at home, unless it says otherwise", () => {
    expect(annotationsOf(base)).toEqual({ openWorldHint: false });
    expect(annotationsOf({ ...base, annotations: { openWorldHint: true, idempotentHint: true } })).toEqual({
      openWorldHint: true,
      idempotentHint: true,
    });
  });
});

describe("the digest", () => {
  it.each<[string, Partial<ToolDefinition>]>([
    ["a description", { description: "Reads a file." }],
    ["a title", { title: "Read it", annotations: { title: "Read it" } }],
    ["what it touches", { affects: "folders" }],
    ["a group", { group: "files" }],
    [
      "an argument's description",
      {
        input: schema(v.strictObject({ path: v.pipe(v.string(), v.description("Which"), v.title("Path")) })),
      },
    ],
  ])("survives another wording: %s", (_, change) => {
    expect(schemaOf({ ...base, ...change })).toBe(schemaOf(base));
  });

  it.each<[string, Partial<ToolDefinition>]>([
    ["its name", { name: "read_it" }],
    ["its effects", { effects: "write" }],
    ["its annotations", { annotations: { openWorldHint: true } }],
    ["an argument's name", { input: schema(v.strictObject({ file: v.string() })) }],
    ["an argument's type", { input: schema(v.strictObject({ path: v.number() })) }],
    ["a required argument", { input: schema(v.strictObject({ path: v.optional(v.string()) })) }],
    ["what else it takes", { input: schema(v.looseObject({ path: v.string() })) }],
    ["its result", { output: schema(v.object({ title: v.optional(v.string()) })) }],
    ["a result called like a keyword", { output: schema(v.object({ description: v.string() })) }],
  ])("changes with the contract: %s", (_, change) => {
    expect(schemaOf({ ...base, ...change })).not.toBe(schemaOf(base));
  });

  it("does not depend on the order in which things are written", () => {
    const both = (...keys: string[]): string =>
      schemaOf({
        ...base,
        input: {
          type: "object",
          properties: Object.fromEntries(keys.map((key) => [key, { type: "string" }])),
        },
      });
    expect(both("a", "b")).toBe(both("b", "a"));
  });
});
