import { describe, expect, it } from "vitest";
import { readParamHeaders, valueAt } from "../../../src/transport/http/param-headers.ts";

const marked = (mark: unknown, type: unknown = "string"): object => ({ type, "x-mcp-header": mark });
const object = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: "object",
  properties,
  ...more,
});

describe("readParamHeaders", () => {
  it("finds annotated arguments at any depth of properties", () => {
    const schema = object({
      region: marked("Region"),
      where: object({ shelf: marked("Shelf", "integer"), deep: object({ dry: marked("X-Dry", "boolean") }) }),
      query: { type: "string" },
    });
    expect(readParamHeaders(schema)).toEqual([
      { header: "mcp-param-region", path: ["region"], type: "string" },
      { header: "mcp-param-shelf", path: ["where", "shelf"], type: "integer" },
      { header: "mcp-param-x-dry", path: ["where", "deep", "dry"], type: "boolean" },
    ]);
    expect(readParamHeaders({ type: "object" })).toEqual([]);
  });

  it("takes every character of a token", () => {
    const found = readParamHeaders(object({ a: marked("!#$%&'*+-.^_`|~09AZaz") }));
    expect(found).toEqual([{ header: "mcp-param-!#$%&'*+-.^_`|~09azaz", path: ["a"], type: "string" }]);
  });

  it("does not take names and values for annotations", () => {
    const schema = object({
      "x-mcp-header": { type: "string", default: { "x-mcp-header": "A" } },
      a: {
        enum: [{ "x-mcp-header": "B" }],
        const: { "x-mcp-header": "C" },
        examples: [{ "x-mcp-header": "D" }],
      },
      properties: object({ properties: marked("Real") }),
    });
    expect(readParamHeaders(schema)).toEqual([
      { header: "mcp-param-real", path: ["properties", "properties"], type: "string" },
    ]);
  });

  it.each([
    ["an empty name", object({ a: marked("") }), "not a header name"],
    ["a name with a space", object({ a: marked("My Region") }), "not a header name"],
    ["a name with a colon", object({ a: marked("Region:Primary") }), "not a header name"],
    ["a name past ASCII", object({ a: marked("Région") }), "not a header name"],
    ["a control character", object({ a: marked("Region\t1") }), "not a header name"],
    ["a line break", object({ a: marked("a\r\nb") }), "not a header name"],
    ["a name that is no string", object({ a: marked(1) }), "not a header name"],
    ["an object", object({ a: marked("A", "object") }), "needs a string"],
    ["an array", object({ a: marked("A", "array") }), "needs a string"],
    ["null", object({ a: marked("A", "null") }), "needs a string"],
    ["a number", object({ a: marked("A", "number") }), "needs a string"],
    ["no type", object({ a: { "x-mcp-header": "A" } }), "needs a string"],
    ["one name twice", object({ a: marked("A"), b: marked("A") }), "share one"],
    [
      "one name in two letter cases",
      object({ a: marked("Ab"), b: object({ c: marked("aB") }) }),
      "share one",
    ],
    ["the root", { ...object({}), "x-mcp-header": "A" }, "only allowed on arguments"],
    ["items", object({ a: { type: "array", items: marked("A") } }), "only allowed on arguments"],
    ["prefixItems", object({ a: { prefixItems: [marked("A")] } }), "only allowed on arguments"],
    ["anyOf", object({ a: { anyOf: [marked("A")] } }), "only allowed on arguments"],
    ["allOf at the root", object({}, { allOf: [object({ a: marked("A") })] }), "only allowed on arguments"],
    ["not", object({ a: { not: marked("A") } }), "only allowed on arguments"],
    ["else", object({}, { if: {}, else: object({ a: marked("A") }) }), "only allowed on arguments"],
    [
      "$defs",
      object({ a: { $ref: "#/$defs/b" } }, { $defs: { b: marked("A") } }),
      "only allowed on arguments",
    ],
    ["additionalProperties", object({}, { additionalProperties: marked("A") }), "only allowed on arguments"],
    [
      "properties behind items",
      object({ a: { items: object({ b: marked("A") }) } }),
      "only allowed on arguments",
    ],
  ])("refuses %s", (_, schema, reason) => {
    expect(readParamHeaders(schema)).toContain(reason);
  });

  it("gives up on schemas that are nested without end", () => {
    let schema: object = marked("A");
    for (let depth = 0; depth < 20_000; depth += 1) schema = { properties: { a: schema } };
    expect(readParamHeaders(schema as Record<string, unknown>)).toBe("its schema is nested too deeply");
  });
});

describe("valueAt", () => {
  it.each([
    [{ a: { b: 1 } }, ["a", "b"], 1],
    [{ a: { b: null } }, ["a", "b"], null],
    [{ a: 1 }, ["a", "b"], undefined],
    [{ a: ["x"] }, ["a", "0"], undefined],
    [undefined, ["a"], undefined],
    [{}, ["toString"], undefined],
    [{}, ["__proto__", "toString"], undefined],
  ])("of %j at %j is %j", (args, path, value) => {
    expect(valueAt(args, path)).toBe(value);
  });
});
