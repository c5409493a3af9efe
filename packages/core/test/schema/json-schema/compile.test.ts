import {
  registerSchema,
  unregisterSchema,
  validate as validateElsewhere,
} from "@hyperjump/json-schema/draft-2020-12";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/schema/json-schema/compile.ts";
import { describeIssues } from "../../../src/schema/json-schema/issue.ts";
import type { JsonSchema } from "../../../src/schema/json-schema/schema.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const NAMES = ["a", "b", "toString"];

// Few names, few values: generated schemas and values must meet each other often.
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 1.5, -1, "", "a", "b", "aa", "😀"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const keyword = <Value>(name: string, value: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, unknown>> =>
  value.map((content) => ({ [name]: content }));
// Assembled, because an object with a `then` of its own looks like a promise to the linter.
const conditional = (schemas: fc.Arbitrary<JsonSchema[]>): fc.Arbitrary<Record<string, unknown>> =>
  schemas.map((parts) =>
    Object.fromEntries(["if", "then", "else"].map((name, index) => [name, parts[index]])),
  );
const small = fc.integer({ min: 0, max: 3 });

const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const schema = tie("schema");
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 });
  const schemaMap = fc.dictionary(fc.constantFrom(...NAMES), schema, { maxKeys: 3, noNullPrototype: true });
  const names = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 });
  const types = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");
  const leaf = [
    keyword("type", fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 }))),
    keyword(
      "enum",
      fc.uniqueArray(jsonValue, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) }),
    ),
    keyword("const", jsonValue),
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name) => keyword(name, small)),
    keyword("multipleOf", fc.constantFrom(1, 2, 0.5)),
    ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map((name) =>
      keyword(name, small),
    ),
    keyword("pattern", fc.constantFrom("^a", "b$", ".")),
    keyword("uniqueItems", fc.boolean()),
    keyword("required", names),
    keyword(
      "dependentRequired",
      fc.dictionary(fc.constantFrom("a", "b"), names, { maxKeys: 2, noNullPrototype: true }),
    ),
    keyword("$ref", fc.constantFrom("#/$defs/one", "#/$defs/two")),
  ];
  const branch = [
    ...[
      "items",
      "additionalProperties",
      "propertyNames",
      "not",
      "unevaluatedProperties",
      "unevaluatedItems",
    ].map((name) => keyword(name, schema)),
    ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name) => keyword(name, schemas)),
    ...["properties", "dependentSchemas"].map((name) => keyword(name, schemaMap)),
    keyword(
      "patternProperties",
      fc.dictionary(fc.constantFrom("^a", "b$", "."), schema, { maxKeys: 2, noNullPrototype: true }),
    ),
    fc
      .tuple(schema, small, small)
      .map(([contains, minContains, more]) => ({ contains, minContains, maxContains: minContains + more })),
    conditional(fc.array(schema, { minLength: 3, maxLength: 3 })),
  ];
  const merged = (parts: fc.Arbitrary<Record<string, unknown>>[]): fc.Arbitrary<JsonSchema> =>
    fc
      .array(fc.oneof(...parts), { minLength: 1, maxLength: 3 })
      .map((pieces) => Object.assign({}, ...pieces) as JsonSchema);
  return {
    schema: fc.oneof(
      { depthSize: "small" },
      fc.boolean(),
      merged(leaf),
      merged([...leaf, ...branch, ...branch]),
    ),
  };
});

const withDefinitions = fc
  .tuple(anySchema, anySchema)
  // Definitions that refer to nothing, so that no generated schema can loop.
  .map(([schema, one]) => ({
    allOf: [schema],
    $defs: {
      one: JSON.parse(JSON.stringify(one).replaceAll(/"\$ref":"[^"]*"/g, '"$comment":""')) as JsonSchema,
      two: { type: ["string", "object"] },
    },
  }));

describe("compileJsonSchema", () => {
  it("agrees with another implementation on generated schemas and values", async () => {
    const seen = { valid: 0, invalid: 0 };
    const uri = "https://example.org/generated";
    const values = fc.array(jsonValue, { minLength: 10, maxLength: 10 });
    const agree = fc.asyncProperty(withDefinitions, values, async (schema, candidates) => {
      registerSchema(schema as Parameters<typeof registerSchema>[0], uri, DIALECT);
      const reference = await validateElsewhere(uri).finally(() => unregisterSchema(uri));
      const validate = compileJsonSchema(schema);
      for (const value of candidates) {
        const isValid = validate(value) === undefined;
        expect(isValid).toBe(reference(value as Parameters<typeof reference>[0]).valid);
        seen[isValid ? "valid" : "invalid"] += 1;
      }
    });
    await fc.assert(agree, { numRuns: 300 });
    expect(seen.valid).toBeGreaterThan(100);
    expect(seen.invalid).toBeGreaterThan(100);
  });

  it("never throws on JSON, and explains every refusal in short lines", () => {
    const validators = fc
      .sample(withDefinitions, { numRuns: 40, seed: 1 })
      .map((schema) => compileJsonSchema(schema));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), jsonValue), (value) => {
        for (const validate of validators) {
          const issues = validate(value);
          if (issues === undefined) continue;
          expect(issues.length).toBeGreaterThan(0);
          for (const line of describeIssues(issues).split("\n")) expect(line).toMatch(/^- .+: ./);
          expect(Math.max(...issues.map(({ message }) => message.length))).toBeLessThan(800);
        }
      }),
    );
  });

  it("gives every issue a path that leads to the place or to what is missing there", () => {
    const validate = compileJsonSchema({ properties: { list: { items: { required: ["id"] } } } });
    expect(validate({ list: [{ id: 1 }, {}] })).toEqual([
      { path: ["list", 1, "id"], message: "is required" },
    ]);
  });
});
