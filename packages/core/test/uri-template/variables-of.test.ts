import { describe, expect, expectTypeOf, it } from "vitest";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";
import type { VariablesOf } from "../../src/uri-template/variables-of.ts";

/** The type checker compares the names with the literal, the test run with the parser. */
function expectVariables<const T extends string>(source: T, names: readonly VariablesOf<T>[]): void {
  expect(parseUriTemplate(source).variables).toEqual(names);
}

const TWENTY = "{a,b,c,d,e}/{+f,g,h,i,j}/x{?k,l*,m:3,n,o}{&p}{&q}{#r}{;s}{.t}";
const TWENTY_ALONE = "{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}{q}{r}{s}{t}";
const ALPHABET = "abcdefghijklmnopqrst";
type LettersOf<T> = T extends `${infer First}${infer Rest}` ? First | LettersOf<Rest> : never;
type Letter = LettersOf<typeof ALPHABET>;
const LETTERS = ALPHABET.split("") as Letter[];

describe("VariablesOf", () => {
  it("reads names past operators, lists and modifiers", () => {
    expectTypeOf<VariablesOf<"file:///{+path}{?limit,cursor}">>().toEqualTypeOf<
      "path" | "limit" | "cursor"
    >();
    expectTypeOf<VariablesOf<"{a}{+b}{#c}{.d}{/e}{;f}{?g}{&h}">>().toEqualTypeOf<
      "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h"
    >();
    expectTypeOf<VariablesOf<"{/path*,name:3}{?tag*}">>().toEqualTypeOf<"path" | "name" | "tag">();
    expectTypeOf<VariablesOf<"{a.b}/{a_c}">>().toEqualTypeOf<"a.b" | "a_c">();
    expectTypeOf<VariablesOf<"{a}/{a:1}">>().toEqualTypeOf<"a">();
    expectTypeOf<VariablesOf<"{a}" | "x{?b}">>().toEqualTypeOf<"a" | "b">();
    expectVariables("file:///{+path}{?limit,cursor}", ["path", "limit", "cursor"]);
    expectVariables("{/path*,name:3}{?tag*}", ["path", "name", "tag"]);
    // @ts-expect-error: not a variable of this template, for the parser either
    expect(() => expectVariables("{a}", ["b"])).toThrow("to deeply equal");
  });

  it("finds none in a plain URI", () => {
    expectTypeOf<VariablesOf<"test://static">>().toBeNever();
    expectTypeOf<VariablesOf<"">>().toBeNever();
    expectVariables("test://static", []);
  });

  it("falls back to string for anything but a literal", () => {
    expectTypeOf<VariablesOf<string>>().toEqualTypeOf<string>();
    expectTypeOf<VariablesOf<`file://${string}`>>().toEqualTypeOf<string>();
    const source: string = "{a}".concat("/{b}");
    expectVariables(source, ["a", "b"]);
  });

  it("holds for twenty variables and for far more", () => {
    expectTypeOf<VariablesOf<typeof TWENTY>>().toEqualTypeOf<Letter>();
    expectTypeOf<VariablesOf<typeof TWENTY_ALONE>>().toEqualTypeOf<Letter>();
    expectTypeOf<
      VariablesOf<`${typeof TWENTY_ALONE}${typeof TWENTY_ALONE}${typeof TWENTY_ALONE}`>
    >().toEqualTypeOf<Letter>();
    expectVariables(TWENTY, LETTERS);
    expectVariables(TWENTY_ALONE, LETTERS);
  });
});
