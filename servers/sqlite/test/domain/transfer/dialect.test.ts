import { describe, expect, it } from "vitest";
import { guessDialect } from "../../../src/domain/transfer/dialect.ts";

describe("the dialect of a CSV file", () => {
  it.each([
    ["a,b\n1,2\n", { delimiter: ",", quote: '"', decimal: "." }],
    ["a;b\n1,5;2\n2,5;3\n", { delimiter: ";", quote: '"', decimal: "," }],
    ["a;b\n1.105,50;x\n", { delimiter: ";", quote: '"', decimal: "," }],
    ["a;b\n1.5;2\n", { delimiter: ";", quote: '"', decimal: "." }],
    ["a\tb\n1,5\t2\n", { delimiter: "\t", quote: '"', decimal: "," }],
    ["a|b|c\n1|2|3\n", { delimiter: "|", quote: '"', decimal: "." }],
    ['"a;x";b\n"c;d";2\n', { delimiter: ";", quote: '"', decimal: "." }],
    ["a,b\n'x,y',2\n", { delimiter: ",", quote: "'", decimal: "." }],
    ["only\none\ncolumn, perhaps\n", { delimiter: ",", quote: '"', decimal: "." }],
    ["", { delimiter: ",", quote: '"', decimal: "." }],
  ])("%j is %j", (start, dialect) => {
    expect(guessDialect(start, {})).toEqual(dialect);
  });

  it("is what the caller says, as far as that goes", () => {
    expect(guessDialect("a;b\n1,5;2\n", { delimiter: ",", decimal: "." })).toEqual({
      delimiter: ",",
      quote: '"',
      decimal: ".",
    });
  });
});
