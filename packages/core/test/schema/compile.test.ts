import { type } from "arktype";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileSchema } from "../../src/schema/compile.ts";
import { toPathText } from "../../src/schema/json-schema/issue.ts";

const SCHEMAS = [
  [
    "JSON Schema",
    {
      type: "object",
      required: ["user"],
      properties: {
        user: { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } },
      },
    },
  ],
  ["zod", z.object({ user: z.object({ tags: z.array(z.string()) }) })],
  ["valibot", toStandardJsonSchema(v.object({ user: v.object({ tags: v.array(v.string()) }) }))],
  ["arktype", type({ user: { tags: "string[]" } })],
] as const;

describe.each(SCHEMAS)("a schema of %s", (_library, schema) => {
  const compiled = compileSchema(schema);

  it("passes what fits", async () => {
    const value = { user: { tags: ["a", "b"] } };
    expect(await compiled.validate(value)).toEqual({ value });
  });

  it("says where something does not fit", async () => {
    const { issues = [] } = await compiled.validate({ user: { tags: ["a", 7] } });
    expect(issues.map(({ path }) => toPathText(path))).toEqual(["user.tags[1]"]);
  });

  it("describes itself as an object", () => {
    for (const json of [compiled.inputJson(), compiled.outputJson()]) {
      expect(json).toMatchObject({
        type: "object",
        properties: { user: { type: "object" } },
        required: ["user"],
      });
      expect(json).not.toHaveProperty("$schema");
    }
  });
});

describe("compileSchema", () => {
  it("does nothing before it is asked to", () => {
    const compiled = compileSchema({ $ref: "#/nowhere" });
    expect(compiled.inputJson()).toEqual({ $ref: "#/nowhere" });
    expect(() => compiled.validate({})).toThrow("#/nowhere");
  });

  it("keeps a dialect that is not the default", () => {
    const other = "http://json-schema.org/draft-07/schema#";
    const schema = {
      "~standard": {
        version: 1,
        vendor: "mine",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ $schema: other }), output: () => ({ $schema: other }) },
      },
    } as const;
    expect(compileSchema(schema).inputJson()).toEqual({ $schema: other });
  });

  it("waits for a validation that takes time, and reads paths in either form", async () => {
    const issue = { message: "no", path: ["a", { key: 1 }, { key: Symbol("s") }] };
    const schema = {
      "~standard": {
        version: 1,
        vendor: "mine",
        validate: () => Promise.resolve({ issues: [issue, { message: "whole" }] }),
        jsonSchema: { input: () => ({}), output: () => ({}) },
      },
    } as const;
    expect(await compileSchema(schema).validate(1)).toEqual({
      issues: [
        { message: "no", path: ["a", 1, "Symbol(s)"] },
        { message: "whole", path: [] },
      ],
    });
  });
});
