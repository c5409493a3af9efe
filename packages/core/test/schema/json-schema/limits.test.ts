import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/schema/json-schema/compile.ts";
import { type JsonSchema, SchemaError } from "../../../src/schema/json-schema/schema.ts";
import { complain, nest } from "./verdicts.ts";

const TOO_DEEP = "- (root): is nested too deeply to validate";
const TOO_COMPLEX = "- (root): is too complex to validate; send a smaller value";
const ENDLESS = "- (root): cannot be validated: its schema refers to itself without end";

/** Each definition applies the next one twice: the work doubles with every step. */
function doubling(steps: number, keyword: string): JsonSchema {
  const link = (step: number): JsonSchema =>
    step === steps
      ? { type: "number" }
      : { [keyword]: [{ $ref: `#/$defs/d${step + 1}` }, { $ref: `#/$defs/d${step + 1}` }] };
  return {
    $defs: Object.fromEntries(Array.from({ length: steps + 1 }, (_, step) => [`d${step}`, link(step)])),
    $ref: "#/$defs/d0",
  };
}

describe("hostile schemas", () => {
  it("are refused when too large or too deep", () => {
    const many = { anyOf: Array.from({ length: 10_000 }, () => ({})) };
    expect(() => compileJsonSchema(many)).toThrow("more than 10000 subschemas");
    expect(() => compileJsonSchema({ allOf: [{}, {}] }, { subschemas: 2 })).toThrow("more than 2 subschemas");
    expect(compileJsonSchema({ allOf: [{}, {}] }, { subschemas: 3 })(1)).toBeUndefined();
    expect(() => compileJsonSchema(nest(65, "not") as JsonSchema)).toThrow("nested more than 64 levels deep");
    expect(compileJsonSchema(nest(64, "not") as JsonSchema)(1)).toBeUndefined();
  });

  it("are refused when they are cyclic objects or hold bottomless constants", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["not"] = cyclic;
    expect(() => compileJsonSchema(cyclic)).toThrow(SchemaError);
    expect(() => compileJsonSchema({ const: nest(100_000, "a") })).toThrow(SchemaError);
    expect(() => compileJsonSchema({ enum: [nest(100_000, "a")] })).toThrow(SchemaError);
  });

  it("may be bottomless where no keyword looks", () => {
    const schema = { not: { "x-any": nest(100_000, "a") } };
    expect(complain(schema, 1)).toBe("- (root): must not match …");
  });

  it("that refer to themselves on the same value end in one issue, every time", () => {
    const loops: readonly JsonSchema[] = [
      { $ref: "#" },
      { allOf: [{ $ref: "#" }] },
      { $dynamicAnchor: "a", $dynamicRef: "#a" },
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } },
      { if: { $ref: "#" } },
      { not: { $ref: "#" } },
    ];
    for (const schema of loops) {
      const validate = compileJsonSchema(schema);
      for (const value of [1, 1, "a", {}, null]) {
        expect(validate(value)?.map((issue) => `- (root): ${issue.message}`)).toEqual([ENDLESS]);
      }
    }
  });

  it("that loop only for some values still judge the others", () => {
    const validate = compileJsonSchema({ type: "object", dependentSchemas: { loop: { $ref: "#" } } });
    expect(validate({})).toBeUndefined();
    expect(validate({ loop: 1 })).toHaveLength(1);
    expect(validate({})).toBeUndefined();
    expect(validate(1)?.[0]?.message).toBe("expected object, got number");
  });

  it("the same reference twice on one value is no loop", () => {
    const schema = {
      $defs: { s: { type: "string" } },
      allOf: [{ $ref: "#/$defs/s" }, { $ref: "#/$defs/s" }],
    };
    expect(complain(schema, "a")).toBe("");
  });

  it.each(["allOf", "anyOf", "oneOf"])(
    "that double their work with every step of %s run out of budget",
    (keyword) => {
      expect(complain(doubling(60, keyword), keyword === "allOf" ? 1 : "a")).toBe(TOO_COMPLEX);
    },
  );

  it("a chain of thousands of references is too deep, not a crash", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
    );
    const schema = { $ref: "#/$defs/d0", $defs: { ...chain, d5000: {} } };
    expect(complain(schema, 1)).toBe(TOO_DEEP);
  });
});

describe("hostile values", () => {
  const list = { type: "object", properties: { next: { $ref: "#" } } };

  it("nested beyond the bound are refused; up to 256 levels are not", () => {
    expect(complain(list, nest(256, "next"))).toBe("");
    expect(complain(list, nest(100_000, "next"))).toBe(TOO_DEEP);
    expect(complain(list, nest(10, "next"), { depth: 10 })).toBe(TOO_DEEP);
  });

  it("do not overflow the stack, however costly the levels between two references", () => {
    let costly: JsonSchema = { properties: { a: { $dynamicRef: "#top" } } };
    for (let level = 0; level < 60; level += 1) {
      costly = {
        type: ["object", "null"],
        properties: { b: true },
        allOf: [costly],
        unevaluatedProperties: true,
      };
    }
    expect(complain({ ...costly, $dynamicAnchor: "top" }, nest(100_000, "a"))).toBe(TOO_DEEP);
  });

  it("are refused, not thrown at, when the stack is nearly used up already", () => {
    const validate = compileJsonSchema(list);
    const value = nest(200, "next");
    const seen = new Set<string | undefined>();
    const recurse = (): void => {
      try {
        recurse();
      } finally {
        if (seen.size < 2) seen.add(validate(value)?.[0]?.message);
      }
    };
    expect(recurse).toThrow(RangeError);
    expect(seen).toEqual(new Set(["is nested too deeply to validate", undefined]));
  });

  it("deeper than the schema looks cost nothing", () => {
    expect(complain({ type: "object" }, nest(100_000, "a"))).toBe("");
  });

  it("compared by value are bounded too", () => {
    const deep = nest(100_000, "a");
    expect(complain({ uniqueItems: true }, [deep, deep])).toBe(TOO_DEEP);
    expect(complain({ const: {} }, deep)).toBe(TOO_DEEP);
    expect(complain({ enum: [1, "a"] }, deep)).toBe('- (root): must be one of 1, "a"');
  });

  it("with more members than the budget are refused", () => {
    const items = Array.from({ length: 101 }, () => 1);
    expect(complain({ items: { type: "number" } }, items, { evaluations: 100 })).toBe(TOO_COMPLEX);
    expect(complain({ items: { type: "number" } }, items.slice(1), { evaluations: 100 })).toBe("");
    const object = Object.fromEntries(items.map((item, index) => [`p${index}`, item]));
    expect(complain({ additionalProperties: { type: "number" } }, object, { evaluations: 100 })).toBe(
      TOO_COMPLEX,
    );
  });

  it("with a fault in every member are told a few", () => {
    const strings = Array.from({ length: 5000 }, () => "a");
    const validate = compileJsonSchema({ items: { anyOf: [{ type: "number" }, { type: "null" }] } });
    expect(validate(strings)).toHaveLength(20);
    expect(compileJsonSchema({ items: false }, { issues: 3 })(strings)).toHaveLength(3);
    const required = strings.map((_, index) => `p${index}`);
    expect(compileJsonSchema({ required })({})).toHaveLength(20);
    const unknown = Object.fromEntries(strings.map((_, index) => [`p${index}`, 1]));
    expect(compileJsonSchema({ additionalProperties: false })(unknown)).toHaveLength(20);
  });

  it("leave nothing behind for the next value", () => {
    const validate = compileJsonSchema({ ...list, unevaluatedProperties: false }, { depth: 50 });
    expect(validate(nest(100, "next"))?.[0]?.message).toBe("is nested too deeply to validate");
    expect(validate(nest(3, "next"))).toBeUndefined();
    expect(validate({ other: 1 })).toEqual([{ path: ["other"], message: "unknown property" }]);
  });
});
