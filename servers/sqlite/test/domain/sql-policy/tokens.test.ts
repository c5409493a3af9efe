import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  keywordOf,
  nameOf,
  positionOf,
  quoteName,
  tokenize,
  toPlace,
} from "../../../src/domain/sql-policy/tokens.ts";

const shown = (sql: string): string[] => tokenize(sql).map(({ kind, text }) => `${kind} ${text}`);

describe("tokenize", () => {
  it.each<[string, string[]]>([
    ["SELECT a.b", ["word SELECT", "word a", "symbol .", "word b"]],
    [
      "'it''s' \"a\"\"b\" `c``d` [e]]",
      ["string 'it''s'", 'quoted "a""b"', "quoted `c``d`", "quoted [e]", "illegal ]"],
    ],
    ["x'00ff' X'' xyz", ["blob x'00ff'", "blob X''", "word xyz"]],
    ["x'0' x'zz'", ["illegal x'0'", "illegal x'zz'"]],
    [
      "1 1.5 .5 1e9 1.e-3 0xFF 1_000",
      ["number 1", "number 1.5", "number .5", "number 1e9", "number 1.e-3", "number 0xFF", "number 1_000"],
    ],
    ["12ab", ["illegal 12ab"]],
    [
      "? ?12 :a @b $c ::d",
      ["variable ?", "variable ?12", "variable :a", "variable @b", "variable $c", "illegal :", "variable :d"],
    ],
    [
      "a->>'$.b' || c<>d!=e<=f<<g",
      [
        "word a",
        "symbol ->>",
        "string '$.b'",
        "symbol ||",
        "word c",
        "symbol <>",
        "word d",
        "symbol !=",
        "word e",
        "symbol <=",
        "word f",
        "symbol <<",
        "word g",
      ],
    ],
    ["a--b\nc/*d;*/e/*f", ["word a", "word c", "word e"]],
    ["-- carriage return ends nothing\rPRAGMA x", []],
    ["größe 名前 a$1", ["word größe", "word 名前", "word a$1"]],
    ["\uFEFFSELECT SEL\uFEFFECT", ["word SELECT", "word SEL\uFEFFECT"]],
    ["\u00A0SELECT\u200B", ["word \u00A0SELECT\u200B"]],
    ["'never closed", ["illegal 'never closed"]],
    ["a\vb", ["word a", "illegal \v", "word b"]],
    ["", []],
  ])("cuts %j", (sql, tokens) => {
    expect(shown(sql)).toEqual(tokens);
  });

  it("loses nothing but spaces and comments, whatever the text", () => {
    const piece = fc.constantFrom(
      "a",
      "1",
      "'",
      '"',
      "`",
      "[",
      "]",
      "--",
      "/*",
      "*/",
      "\n",
      " ",
      ";",
      "x'",
      "?",
      "$",
      ".",
      "\uFEFF",
      "é",
      "\0",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const sql = pieces.join("");
        let end = 0;
        for (const token of tokenize(sql)) {
          expect(token.start).toBeGreaterThanOrEqual(end);
          expect(sql.slice(token.start, token.end)).toBe(token.text);
          expect(token.end).toBeGreaterThan(token.start);
          expect(sql.slice(end, token.start)).toMatch(/^(\s|\uFEFF|--[^\n]*(\n|$)|\/\*[^]*?(\*\/|$))*$/);
          end = token.end;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("takes long text in one go", () => {
    expect(tokenize(`SELECT '${"a".repeat(900_000)}'`)).toHaveLength(2);
  });
});

describe("keywordOf", () => {
  it.each([
    ["select", "SELECT"],
    ["SeLeCt", "SELECT"],
    // These become ASCII letters when a program folds them without care.
    ["\u017Felect", ""],
    ["\u0131nsert", ""],
    ['"select"', ""],
    ["'select'", ""],
    ["", ""],
  ])("of %j is %j", (sql, keyword) => {
    expect(keywordOf(tokenize(sql)[0])).toBe(keyword);
  });
});

describe("names", () => {
  it.each([
    ["plain", "plain"],
    ['"a""b"', 'a"b'],
    ["`a``b`", "a`b"],
    ["[a b]", "a b"],
    ["'it''s'", "it's"],
    ["12", undefined],
  ])("reads %s", (sql, name) => {
    expect(nameOf(tokenize(sql)[0])).toBe(name);
  });

  it("quotes any name so that it reads as itself", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const tokens = tokenize(quoteName(name));
        expect(tokens).toHaveLength(1);
        expect(nameOf(tokens[0])).toBe(name);
      }),
    );
  });
});

describe("positionOf", () => {
  it.each([
    ["abc", 0, "1:1"],
    ["abc", 3, "1:4"],
    ["a\nbc", 2, "2:1"],
    ["a\r\n\nbc", 5, "3:2"],
    ["'😀' x", 5, "1:5"],
  ])("in %j at %i is %s", (text, offset, place) => {
    expect(toPlace(positionOf(text, offset))).toBe(place);
  });
});
