import { expect, it } from "vitest";

import { toCanonicalJson } from "../../../src/domain/text/json-value.ts";

it("is the same for the same value", () => {
  expect(toCanonicalJson({ b: 1, a: { d: [2, { f: 1, e: 2 }], c: null } })).toBe(
    '{"a":{"c":null,"d":[2,{"e":2,"f":1}]},"b":1}',
  );
});

it("keeps the order of lists", () => {
  expect(toCanonicalJson([2, 1])).not.toBe(toCanonicalJson([1, 2]));
});

it("leaves members without a value out", () => {
  expect(toCanonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
});

it("knows no special names", () => {
  expect(toCanonicalJson(JSON.parse('{"constructor":2,"__proto__":{"a":1}}'))).toBe(
    '{"__proto__":{"a":1},"constructor":2}',
  );
});
