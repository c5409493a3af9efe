import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UriTemplateError } from "../../src/uri-template/parse.ts";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";
import { RFC_EXAMPLES, RFC_VALUES } from "./rfc6570-examples.ts";

const expand = (
  source: string,
  values: Parameters<ReturnType<typeof parseUriTemplate>["expand"]>[0],
): string => parseUriTemplate(source).expand(values);

describe.each(Object.entries(RFC_EXAMPLES))("RFC 6570 %s", (_section, examples) => {
  it.each(examples)("%s -> %s", (template, expected) => {
    expect(expand(template, RFC_VALUES)).toBe(expected);
  });
});

describe("encoding", () => {
  it.each([
    ["{a}", "é€😀", "%C3%A9%E2%82%AC%F0%9F%98%80"],
    ["{+a}", "é€😀", "%C3%A9%E2%82%AC%F0%9F%98%80"],
    ["{a}", "AZaz09-._~", "AZaz09-._~"],
    ["{a}", ":/?#[]@!$&'()*+,;=", "%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"],
    ["{+a}", ":/?#[]@!$&'()*+,;=", ":/?#[]@!$&'()*+,;="],
    ["{a}", "%20", "%2520"],
    ["{+a}", "%20%2g", "%20%252g"],
    ["{+a}", '"<>\\^`{|}\n', "%22%3C%3E%5C%5E%60%7B%7C%7D%0A"],
  ])("%s with %j", (template, a, expected) => {
    expect(expand(template, { a })).toBe(expected);
  });

  it.each(["{a}", "{+a}"])("%s writes a lone surrogate as U+FFFD", (template) => {
    expect(expand(template, { a: "x\uD800y\uDC00" })).toBe("x%EF%BF%BDy%EF%BF%BD");
  });

  it("encodes non-ASCII literals and leaves triplets alone", () => {
    expect(expand("café/%c3%a9/{a}", { a: "1" })).toBe("caf%C3%A9/%c3%a9/1");
  });

  it("counts a prefix in characters, not in code units or bytes", () => {
    expect(expand("{a:2}", { a: "😀é€" })).toBe("%F0%9F%98%80%C3%A9");
  });

  it("writes characters of a URI only, whatever the values", () => {
    const template = parseUriTemplate("{a}{+a}{#a}{.a}{/a*}{;a}{?a,b*}{&a:3}");
    const value = fc.string({ unit: "binary", maxLength: 20 });
    fc.assert(
      fc.property(value, fc.dictionary(value, value), (a, b) => {
        expect(template.expand({ a, b })).toMatch(
          /^(?:%[0-9A-F]{2}|%[0-9a-fA-F]{2}|[\w\-.~:/?#[\]@!$&'()*+,;=])*$/,
        );
      }),
    );
  });
});

describe("values", () => {
  it("leaves out undefined values, empty lists and empty maps", () => {
    expect(expand("x{a}{+b}{#c}{.d}{/e*}{;f*}{?g,h}{&i}", { a: undefined, e: [], f: {}, g: [], h: {} })).toBe(
      "x",
    );
  });

  it("writes an empty item of a map as its operator does", () => {
    expect(expand("{;m*}{?m*}{/m*}", { m: { a: "", b: "1" } })).toBe(";a;b=1?a=&b=1/a=/b=1");
  });

  it("keeps empty items of a list", () => {
    expect(expand("{a}!{/a*}!{;a*}!{?a*}", { a: ["", "x"] })).toBe(",x!//x!;a;a=x!?a=&a=x");
  });

  it("reads own keys only", () => {
    expect(expand("{constructor}{__proto__}{toString}", {})).toBe("");
    expect(expand("{__proto__}", { ["__proto__"]: "own" })).toBe("own");
    const inheriting: Record<string, string> = Object.create({ a: "inherited" });
    expect(expand("{a}", inheriting)).toBe("");
  });

  it("refuses a prefix on a list or a map, and says where", () => {
    for (const a of [["x"], { k: "x" }]) {
      const failure = catchError(() => expand("ab{?b,a:1}", { a }));
      expect(failure).toBeInstanceOf(UriTemplateError);
      expect(failure).toMatchObject({ position: 6 });
    }
  });
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
