import { describe, expect, it } from "vitest";
import { complain } from "./verdicts.ts";

const shape = (kind: string, properties: Record<string, unknown>): Record<string, unknown> => ({
  type: "object",
  properties: { kind: { const: kind }, ...properties },
  required: ["kind", ...Object.keys(properties)],
  additionalProperties: false,
});
const SHAPES = {
  oneOf: [shape("circle", { radius: { type: "number" } }), shape("square", { side: { type: "number" } })],
};

describe("alternatives that all fail", () => {
  it("merge types", () => {
    expect(complain({ anyOf: [{ type: "string" }, { type: ["null", "string"] }] }, 5)).toBe(
      "- (root): expected string or null, got number",
    );
  });

  it("speak for the one alternative of the right type", () => {
    const schema = {
      anyOf: [{ type: "null" }, { type: "object", properties: { a: { items: { type: "string" } } } }],
    };
    expect(complain(schema, { a: [1] })).toBe("- a[0]: expected string, got number");
  });

  it("speak for the alternative that a constant singles out", () => {
    expect(complain(SHAPES, { kind: "square", side: "3" })).toBe("- side: expected number, got string");
    expect(complain(SHAPES, { kind: "square", radius: 3 })).toBe(
      "- side: is required\n- radius: unknown property; known: kind, side",
    );
  });

  it("list the constants when none fits", () => {
    expect(complain({ properties: { shape: SHAPES } }, { shape: { kind: "line" } })).toBe(
      '- shape.kind: must be one of "circle", "square"',
    );
  });

  it("merge constants of the value itself", () => {
    expect(complain({ anyOf: [{ const: "a" }, { enum: ["b", "c"] }] }, "x")).toBe(
      '- (root): must be one of "a", "b", "c"',
    );
  });

  it("otherwise tell each in a few words", () => {
    const schema = { anyOf: [{ required: ["path"] }, { required: ["url"] }, { minProperties: 3 }] };
    expect(complain(schema, {})).toBe(
      "- (root): matches none of 3 alternatives: path is required | url is required | must have at least 3 properties, has 0",
    );
    const many = { anyOf: Array.from({ length: 9 }, (_, index) => ({ required: [`p${index}`] })) };
    expect(complain(many, {})).toBe(
      "- (root): matches none of 9 alternatives: p0 is required | p1 is required | p2 is required | p3 is required | … (5 more)",
    );
  });
});
