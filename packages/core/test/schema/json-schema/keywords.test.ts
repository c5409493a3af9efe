import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/schema/json-schema/compile.ts";
import { SchemaError } from "../../../src/schema/json-schema/schema.ts";
import { DRAFT_07, itJudges } from "./verdicts.ts";

const MALFORMED: readonly (readonly [schema: unknown, pointer: string, message: string])[] = [
  [null, "", "must be an object or a boolean"],
  ["string", "", "must be an object or a boolean"],
  [{ type: "text" }, "/type", "type must be one of"],
  [{ type: [] }, "/type", "type must be one of"],
  [{ minimum: "1" }, "/minimum", "minimum must be a number"],
  [{ multipleOf: 0 }, "/multipleOf", "multipleOf must be a number above 0"],
  [{ minLength: -1 }, "/minLength", "minLength must be a non-negative integer"],
  [{ pattern: "(" }, "/pattern", "pattern must be a valid regular expression"],
  // `\-` is invalid where the braces mean something, and the braces mean something else where it is valid.
  [{ pattern: "^\\p{L}\\-$" }, "/pattern", "pattern must be a valid regular expression"],
  [{ pattern: "^\\\\\\u{1F600}\\-$" }, "/pattern", "pattern must be a valid regular expression"],
  [{ patternProperties: { "(": true } }, "/patternProperties", "named by valid regular expressions"],
  [{ required: "a" }, "/required", "required must be an array of strings"],
  [{ enum: "a" }, "/enum", "enum must be an array"],
  [{ uniqueItems: 1 }, "/uniqueItems", "uniqueItems must be a boolean"],
  [{ properties: { a: { items: [true] } } }, "/properties/a/items", "items must be an object or a boolean"],
  [{ properties: { "a/b": 1 } }, "/properties/a~1b", "a schema must be an object or a boolean"],
  [{ properties: [] }, "/properties", "properties must be an object of schemas"],
  [{ allOf: [] }, "/allOf", "allOf must be a non-empty array"],
  [{ anyOf: [true, 3] }, "/anyOf/1", "a schema must be an object or a boolean"],
  [{ dependentRequired: { a: "b" } }, "/dependentRequired", "an object of arrays of strings"],
  [{ $id: 1 }, "/$id", "$id must be a string"],
  [{ $id: "https://example.org/#part" }, "/$id", "must not have a fragment"],
  [{ $schema: DRAFT_07, items: [{ type: 1 }] }, "/items/0/type", "type must be one of"],
];

describe("a malformed schema", () => {
  it.each(MALFORMED)("%j is refused with its place", (schema, pointer, message) => {
    expect(() => compileJsonSchema(schema as boolean)).toThrow(
      expect.objectContaining({
        name: "SchemaError",
        pointer,
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  it("is refused in definitions nobody refers to", () => {
    expect(() => compileJsonSchema({ $defs: { unused: { type: 5 } } })).toThrow(SchemaError);
  });
});

describe("$schema", () => {
  it("of another dialect is refused, naming those that are known", () => {
    for (const uri of [
      "http://json-schema.org/draft-04/schema#",
      "https://json-schema.org/draft/2019-09/schema",
      "toString",
    ]) {
      expect(() => compileJsonSchema({ $schema: uri })).toThrow(
        /unsupported \$schema; supported are .*2020-12.*draft-07/,
      );
    }
  });

  it("of both known dialects is taken, with or without an empty fragment", () => {
    for (const uri of ["https://json-schema.org/draft/2020-12/schema", DRAFT_07, DRAFT_07.slice(0, -1)]) {
      expect(compileJsonSchema({ $schema: uri, type: "string" })("")).toBeUndefined();
    }
  });

  itJudges("unknown keywords are ignored", {
    schema: {
      "x-mcp-header": { any: ["thing"] },
      $vocabulary: 5,
      title: "T",
      examples: [1],
      contentEncoding: "base64",
    },
    valid: [1, null],
    invalid: [],
  });
});
