import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_EXPRESSIONS,
  MAX_TEMPLATE_LENGTH,
  MAX_VARIABLES,
  parseTemplate,
  UriTemplateError,
} from "../../src/uri-template/parse.ts";

function errorOf(source: string): UriTemplateError | undefined {
  try {
    parseTemplate(source);
    return undefined;
  } catch (error) {
    if (error instanceof UriTemplateError) return error;
    throw error;
  }
}

describe("parseTemplate", () => {
  it("gives literals and expressions with their variables", () => {
    expect(parseTemplate("a{?b.c,d*,e:12}")).toMatchObject([
      { kind: "literal", text: "a" },
      {
        kind: "expression",
        operator: { first: "?", separator: "&" },
        variables: [
          { name: "b.c", explode: false, prefix: undefined, position: 3 },
          { name: "d", explode: true, prefix: undefined, position: 7 },
          { name: "e", explode: false, prefix: 12, position: 10 },
        ],
      },
    ]);
  });

  it.each(["", "plain", "it's", "caf\u00e9/\u{1F600}", "%C3%a9", "{a}{b}", "{%41_9.x}", "{a:9999}", "{0}"])(
    "accepts %j",
    (source) => {
      expect(errorOf(source)).toBeUndefined();
    },
  );

  it.each([
    ["{/id*", 0],
    ["/id*}", 4],
    ["ab{", 2],
    ["ab}", 2],
    ["a{b{c}}", 2],
    ["{}", 1],
    ["{?}", 2],
    ["{a,}", 3],
    ["{,a}", 1],
    ["{/?id}", 2],
    ["{??a}", 2],
    ["{=a}", 1],
    ["{!a}", 1],
    ["{@a}", 1],
    ["{|a}", 1],
    ["{$a}", 1],
    ["{*a}", 1],
    ["{a?}", 1],
    ["{a b}", 1],
    ["{?x, y}", 4],
    ["{a-b}", 1],
    ["{~a}", 1],
    ["{.a.}", 2],
    ["{..a}", 2],
    ["{a..b}", 1],
    ["{a%4}", 1],
    ["{a:}", 1],
    ["{a:0}", 1],
    ["{a:03}", 1],
    ["{a:10000}", 1],
    ["{a:prefix}", 1],
    ["{a:2*}", 1],
    ["{a*:2}", 1],
    ["{a**}", 1],
    ["{é}", 1],
    ["x{a}y z", 5],
    ["50%", 2],
    ["%zz", 0],
    ['a"b', 1],
    ["a<b", 1],
    ["a\\b", 1],
    ["a^b", 1],
    ["a`b", 1],
    ["a|b", 1],
    ["a\u0000b", 1],
    ["a\u007Fb", 1],
    ["a\uD800b", 1],
  ])("refuses %j at %i", (source, position) => {
    expect(errorOf(source)).toMatchObject({ name: "UriTemplateError", position });
  });

  it("bounds length, expressions and variables", () => {
    expect(errorOf("a".repeat(MAX_TEMPLATE_LENGTH))).toBeUndefined();
    expect(errorOf("a".repeat(MAX_TEMPLATE_LENGTH + 1))?.position).toBe(MAX_TEMPLATE_LENGTH);
    expect(errorOf("{a}".repeat(MAX_EXPRESSIONS))).toBeUndefined();
    expect(errorOf("{a}".repeat(MAX_EXPRESSIONS + 1))?.position).toBe(MAX_EXPRESSIONS * 3);
    expect(errorOf(`{a${",a".repeat(MAX_VARIABLES - 1)}}`)).toBeUndefined();
    expect(errorOf(`{a${",a".repeat(MAX_VARIABLES)}}`)?.position).toBe(0);
  });

  it("throws nothing but UriTemplateError, with a position inside the source", () => {
    const piece = fc.constantFrom("%41", ...Array.from("{}+?,*:3%a./é\uD800 "));
    const source = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece, { maxLength: 30 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(source, (text) => {
        const position = errorOf(text)?.position ?? 0;
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2000 },
    );
  });
});
