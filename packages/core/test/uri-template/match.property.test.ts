import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseUriTemplate, type UriTemplate } from "../../src/uri-template/uri-template.ts";

type Drawn = fc.Arbitrary<string | string[] | undefined>;

const full = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const text = fc.oneof(full, fc.constant(""));
const maybe = fc.option(text, { nil: undefined });
const items = fc.array(text, { minLength: 1, maxLength: 4 });
// Reserved expansion cannot tell a written triplet from an encoded character, so no percent sign here.
const reserved = fc.string({
  unit: fc.constantFrom(...Array.from("ab/:?#[]@!$&'()*+,;=é😀 ")),
  minLength: 1,
  maxLength: 12,
});
const word = fc.stringMatching(/^[a-z/?#é]{1,5}$/);

const UNAMBIGUOUS: readonly (readonly [template: string, shape: Readonly<Record<string, Drawn>>])[] = [
  ["r://{a}/{b}/c/{d}", { a: full, b: full, d: full }],
  ["r://{a}/blob/{+path}", { a: full, path: reserved }],
  ["r://{x,y}/z{#list*}", { x: full, y: maybe, list: fc.array(word, { minLength: 1, maxLength: 3 }) }],
  ["r://x{.ext}", { ext: maybe }],
  ["r://x{/a}{?q,list*,__proto__}", { a: maybe, q: maybe, list: items, ["__proto__"]: maybe }],
  ["r://x{/path*}{;m,n}{?q}{&r}", { path: items, m: text, n: maybe, q: text, r: maybe }],
  ["r://x{?constructor*}{#at}", { constructor: items, at: fc.option(reserved, { nil: undefined }) }],
];

describe("match after expand", () => {
  it.each(UNAMBIGUOUS)("gives back the values of %s", (source, shape) => {
    const template = parseUriTemplate(source);
    const names = Object.keys(shape);
    const drawn = fc.tuple(...Object.values(shape));
    fc.assert(
      fc.property(drawn, (column) => {
        const entries = names.flatMap((name, index) => {
          const value = column[index];
          return value === undefined ? [] : [[name, value] as const];
        });
        const found = template.match(template.expand(Object.fromEntries(entries)));
        expect(found).toBeDefined();
        expect(new Map(found && Object.entries(found))).toEqual(new Map(entries));
      }),
      { numRuns: 300 },
    );
  });
});

const NAMES = ["a", "b", "c", "d", "e", "f"];

describe("match", () => {
  it("finds what a lazy regular expression finds", () => {
    const expression = fc.constantFrom(["{", "([^/?#]+?)"] as const, ["{+", "([^]+?)"] as const);
    const literal = fc.constantFrom("/", "-", "/x/", "a", "-a");
    const template = fc.array(fc.tuple(literal, expression), { minLength: 1, maxLength: NAMES.length });
    const uri = fc
      .array(fc.constantFrom("/", "-", "x", "a", "?"), { maxLength: 24 })
      .map((all) => all.join(""));
    let matches = 0;
    fc.assert(
      fc.property(template, fc.constantFrom("", "/", "x"), uri, (pieces, tail, rest) => {
        const candidate = `${pieces[0]?.[0]}${rest}${tail}`;
        const source = pieces.map(([between, [open]], index) => `${between}${open}${NAMES[index]}}`).join("");
        const pattern = pieces.map(([between, [, group]]) => between + group).join("");
        const expected = new RegExp(`^${pattern}${tail}$`).exec(candidate)?.slice(1);
        const found = parseUriTemplate(source + tail).match(candidate);
        expect(found && Object.values(found)).toEqual(expected);
        if (found) matches += 1;
      }),
      { numRuns: 5000, seed: 6570 },
    );
    expect(matches).toBeGreaterThan(300);
  });

  it("never throws, for any template and any text", () => {
    const operator = fc.constantFrom("", "+", "#", ".", "/", ";", "?", "&");
    const variable = fc.constantFrom("a", "b*", "c:2", "__proto__", "a*");
    const expression = fc
      .tuple(operator, fc.array(variable, { minLength: 1, maxLength: 3 }))
      .map(([symbol, all]) => `{${symbol}${all.join()}}`);
    const template = fc
      .array(fc.oneof(expression, fc.constantFrom("/", "x", "é", "%41", "?")), { maxLength: 12 })
      .map((all) => parseUriTemplate(all.join("")));
    const shaped = fc
      .array(fc.constantFrom(...Array.from("/?#&;=.,x%41aéb\uD800")), { maxLength: 200 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(template, fc.oneof(shaped, fc.string({ unit: "binary" })), (parsed: UriTemplate, uri) => {
        const found = parsed.match(uri);
        for (const name of Object.keys(found ?? {})) expect(parsed.variables).toContain(name);
      }),
      { numRuns: 3000 },
    );
  });
});
