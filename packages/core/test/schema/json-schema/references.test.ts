import { describe, expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/schema/json-schema/compile.ts";
import { type JsonSchema, SchemaError } from "../../../src/schema/json-schema/schema.ts";
import { DRAFT_07, itJudges } from "./verdicts.ts";

function pointerOfError(schema: JsonSchema): string | undefined {
  try {
    compileJsonSchema(schema);
  } catch (error) {
    return error instanceof SchemaError ? error.pointer : String(error);
  }
  return undefined;
}

describe("$ref", () => {
  itJudges("follows pointers, escaped and percent-encoded", {
    schema: {
      $defs: { "a/b~c d%": { type: "string" } },
      properties: { x: { $ref: "#/$defs/a~1b~0c%20d%25" } },
    },
    valid: [{ x: "" }],
    invalid: [{ x: 1 }],
  });

  itJudges("works beside other keywords", {
    schema: { $defs: { s: { type: "string" } }, $ref: "#/$defs/s", maxLength: 1 },
    valid: ["a"],
    invalid: ["ab", 1],
  });

  itJudges("replaces other keywords in draft-07", {
    schema: {
      $schema: DRAFT_07,
      definitions: { s: { type: "string" } },
      $ref: "#/definitions/s",
      maxLength: 1,
    },
    valid: ["ab"],
    invalid: [1],
  });

  itJudges("recurses", {
    schema: { type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false },
    valid: [{ next: { next: {} } }],
    invalid: [{ next: { next: { other: 1 } } }, { next: 1 }],
  });

  itJudges("may lead to a boolean, and to a place no keyword marks", {
    schema: {
      $defs: { no: false },
      "x-shared": { s: { type: "string" } },
      properties: { a: { $ref: "#/$defs/no" }, b: { $ref: "#/x-shared/s" } },
    },
    valid: [{ b: "" }],
    invalid: [{ a: 1 }, { b: 1 }],
  });

  itJudges("finds anchors", {
    schema: { $ref: "#here", $defs: { any: { $anchor: "here", type: "string" } } },
    valid: [""],
    invalid: [1],
  });

  itJudges("resolves against the nearest $id", {
    schema: {
      $id: "https://example.org/root.json",
      $ref: "nested/item.json#/$defs/s",
      $defs: {
        item: { $id: "nested/item.json", $defs: { s: { $ref: "#t" }, t: { $anchor: "t", type: "string" } } },
      },
    },
    valid: [""],
    invalid: [1],
  });

  itJudges("finds draft-07 ids that are fragments", {
    schema: { $schema: DRAFT_07, $ref: "#s", definitions: { s: { $id: "#s", type: "string" } } },
    valid: [""],
    invalid: [1],
  });

  itJudges("an embedded resource may speak the other dialect", {
    schema: {
      $ref: "urn:example:old",
      $defs: { old: { $id: "urn:example:old", $schema: DRAFT_07, items: [{ type: "string" }] } },
    },
    valid: [["a", 1]],
    invalid: [[1]],
  });

  it("never leaves the document", () => {
    const message = /never loaded/;
    expect(() => compileJsonSchema({ $ref: "https://example.org/other.json" })).toThrow(message);
    expect(() => compileJsonSchema({ $ref: "other.json#/a" })).toThrow(message);
    expect(() => compileJsonSchema({ $ref: "file:///etc/passwd" })).toThrow(message);
    expect(() => compileJsonSchema({ $ref: "https://json-schema.org/draft/2020-12/schema" })).toThrow(
      message,
    );
    expect(pointerOfError({ properties: { "a/b": { $ref: "x" } } })).toBe("/properties/a~1b/$ref");
  });

  it("must lead somewhere", () => {
    expect(pointerOfError({ $ref: "#/$defs/none" })).toBe("/$ref");
    expect(pointerOfError({ $ref: "#none" })).toBe("/$ref");
    expect(pointerOfError({ $ref: "#/constructor" })).toBe("/$ref");
    expect(pointerOfError({ $ref: "#%zz" })).toBe("/$ref");
    expect(pointerOfError({ $ref: "http://[" })).toBe("/$ref");
    expect(pointerOfError({ $ref: "#/title", title: "text" })).toBe("/title");
    expect(pointerOfError({ $defs: { unused: { $ref: "#/none" } } })).toBe("/$defs/unused/$ref");
  });
});

describe("$dynamicRef", () => {
  const tree = {
    $id: "https://example.org/tree",
    $dynamicAnchor: "node",
    properties: { value: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
  };

  itJudges("is bent by the outermost anchor of its name", {
    schema: {
      $id: "https://example.org/strict",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: { tree },
    },
    valid: [{ children: [{ value: 1, children: [] }] }],
    invalid: [{ children: [{ vlaue: 1 }] }, { children: [{ children: [{ vlaue: 1 }] }] }],
  });

  itJudges("without one leads where it says", {
    schema: { $ref: "https://example.org/tree", $defs: { tree } },
    valid: [{ children: [{ vlaue: 1 }] }],
    invalid: [{ children: [{ children: 1 }] }],
  });

  itJudges("is not bent by a resource that was left again", {
    schema: {
      allOf: [{ $ref: "#/$defs/strict" }, { $ref: "https://example.org/tree" }],
      $defs: {
        strict: {
          $id: "https://example.org/elsewhere",
          properties: { children: true },
          $defs: { number: { $dynamicAnchor: "node", type: "number" } },
        },
        tree,
      },
    },
    valid: [{ children: [{}] }],
    invalid: [{ children: [{ children: 1 }] }],
  });

  itJudges("to a plain anchor is a $ref", {
    schema: { $dynamicRef: "#s", $defs: { s: { $anchor: "s", type: "string" } } },
    valid: [""],
    invalid: [1],
  });
});
