import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CsvField, guessDialect, parseCsv } from "../../../src/domain/transfer/csv-parser.ts";
import { collect, inPieces } from "./pieces.ts";

const parse = (...pieces: string[]): Promise<CsvField[][]> => collect(parseCsv(inPieces(pieces)));

async function failureOf(...pieces: string[]): Promise<string> {
  try {
    return `no failure: ${JSON.stringify(await parse(...pieces))}`;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

describe("CSV", () => {
  it.each<readonly [string, CsvField[][]]>([
    ["", []],
    ["a,b\n", [["a", "b"]]],
    ["a,b", [["a", "b"]]],
    [
      "a,b\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["a\rb\r", [["a"], ["b"]]],
    [",\n", [[null, null]]],
    ['"",\n', [["", null]]],
    ["\n", [[null]]],
    ['"a,b","c\r\nd","e""f"\n', [["a,b", "c\r\nd", 'e"f']]],
    ['""""\n', [['"']]],
    ['a"b,c\n', [['a"b', "c"]]],
    ['a"",""""""\n', [['a""', '""']]],
    [
      "1,-2,.5,x'00',+x,abc\n",
      [[{ $bare: "1" }, { $bare: "-2" }, { $bare: ".5" }, { $bare: "x'00'" }, { $bare: "+x" }, "abc"]],
    ],
    ['"1"\n', [["1"]]],
  ])("%j", async (text, records) => {
    expect(await parse(text)).toEqual(records);
    // Wherever a piece ends.
    expect(await parse(...Array.from(text))).toEqual(records);
  });

  it("that is broken says where", async () => {
    expect(await failureOf('a\n"b')).toBe("Record 2 of the CSV file ends inside quotes.");
    expect(await failureOf('a\n"b"c\n')).toBe("Record 2 of the CSV file has text after a closing quote.");
    expect(await failureOf('"a"', "b")).toBe("Record 1 of the CSV file has text after a closing quote.");
  });

  it("of too many fields or marks is refused", async () => {
    expect(await failureOf("a\n", ",".repeat(32_766))).toBe(
      "Record 2 of the CSV file has more than 32766 fields.",
    );
    const quotes = Array<string>(257).fill('"'.repeat(256 * 1024));
    expect(await failureOf("a", ...quotes)).toBe("Record 1 of the CSV file is too long.");
  });

  it("is cut in the same places whatever the pieces", async () => {
    const text = fc.array(fc.constantFrom('"', ",", "\r", "\n", "a", "1", " "), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, async (characters) => {
        const whole = characters.join("");
        const outcome = await failureOf(whole);
        expect(await failureOf(...characters)).toBe(outcome);
      }),
    );
  });
});

describe("the dialect of a CSV file", () => {
  it.each([
    ["a,b\n1,2\n", { delimiter: ",", quote: '"', decimal: "." }],
    ["a;b\n1,5;2\n2,5;3\n", { delimiter: ";", quote: '"', decimal: "," }],
    ["a;b\n1,5;2", { delimiter: ";", quote: '"', decimal: "," }],
    ["a;b\n1.105,50;x\n", { delimiter: ";", quote: '"', decimal: "," }],
    ["a;b\n1.5;2\n", { delimiter: ";", quote: '"', decimal: "." }],
    ["a\tb\n1,5\t2\n", { delimiter: "\t", quote: '"', decimal: "," }],
    [`a;b\n${"1.125,5;x\n".repeat(21)}1.25;x\n`, { delimiter: ";", quote: '"', decimal: "." }],
    ["a\tb\n1,234\tx\n22,345\ty\n", { delimiter: "\t", quote: '"', decimal: "." }],
    ["a;b\n1,5;x\n1,2,3;x\n", { delimiter: ";", quote: '"', decimal: "." }],
    ["a;b\n1,5;x\n1.5e3;x\n", { delimiter: ";", quote: '"', decimal: "." }],
    ["a;b\n1,5;31.12.2024\n", { delimiter: ";", quote: '"', decimal: "," }],
    ["a|b|c\n1|2|3\n", { delimiter: "|", quote: '"', decimal: "." }],
    ['"a;x";b\n"c;d";2\n', { delimiter: ";", quote: '"', decimal: "." }],
    ["a,b\n'x,y',2\n", { delimiter: ",", quote: "'", decimal: "." }],
    ["a,b\n'x','it''s, y'\n1,'cut off", { delimiter: ",", quote: "'", decimal: "." }],
    ["a,b\n1,'Ndrangheta\n2,the boys'\n3,'n'\n", { delimiter: ",", quote: '"', decimal: "." }],
    ['1,"x;y"\n2,"y;z"\n', { delimiter: ",", quote: '"', decimal: "." }],
    ["only\none\ncolumn, perhaps\n", { delimiter: ",", quote: '"', decimal: "." }],
    ["", { delimiter: ",", quote: '"', decimal: "." }],
  ])("%j is %j", (start, dialect) => {
    expect(guessDialect(start, {})).toEqual(dialect);
  });

  it.each([
    ["2024-01-01;12,50;3,75\n2024-01-02;1,20;4,10\n", '"," or ";"'],
    ["1\t1,5\n", String.raw`"," or "\t"`],
  ])("%j has to be told: %s", (start, choices) => {
    const failure = { message: `Each record can be split at ${choices}.`, hint: "Give delimiter." };
    expect(() => guessDialect(start, {})).toThrow(expect.objectContaining(failure));
  });

  it("is what the caller says, as far as that goes", () => {
    expect(guessDialect("a;b\n1,5;2\n", { delimiter: ",", decimal: "." })).toEqual({
      delimiter: ",",
      quote: '"',
      decimal: ".",
    });
  });
});
