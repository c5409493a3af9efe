import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isJsonArray,
  type JsonRecord,
  parseJsonArray,
  parseJsonLines,
} from "../../../src/domain/transfer/json-lines.ts";
import { collect, inPieces } from "./pieces.ts";

const parserOf =
  (read: typeof parseJsonLines) =>
  async (...pieces: string[]): Promise<JsonRecord[]> => {
    const objects = await collect(read(inPieces(pieces)));
    return objects.map((object) => {
      if ("reason" in object) throw new Error(`${object.record}: ${object.reason}`);
      return object.values;
    });
  };

const parse = parserOf(parseJsonLines);

describe("JSON lines", () => {
  it("are objects, one a line, in whatever pieces they come", async () => {
    const text = '{"a":1}\n\n  \r\n{"a":"x\\ny","b":null}\r\n{"c":{"$blob":""}}';
    const records = [{ a: 1 }, { a: "x\ny", b: null }, { c: { $blob: "" } }];
    expect(await parse(text)).toEqual(records);
    expect(await parse(...Array.from(text))).toEqual(records);
    expect(await parse("")).toEqual([]);
  });

  it.each([
    ['{"a":1}\n[1]', "2: Line 2 is not a JSON object."],
    ["\nnull", "2: Line 2 is not a JSON object."],
    ['{"a":1}\n{"a":', "2: Line 2 is not JSON."],
    ["a,b", "1: Line 1 is not JSON."],
  ])("%j is refused", async (text, message) => {
    await expect(parse(text)).rejects.toThrow(message);
  });

  it("of more values than a row can have are refused", async () => {
    const values = Object.fromEntries(Array.from({ length: 32_767 }, (_, at) => [`c${at}`, 1]));
    await expect(parse(JSON.stringify(values))).rejects.toThrow(
      "Line 1 has more values than a row can have.",
    );
    await expect(parse(`{"a":${"[".repeat(1_000_000)}`)).rejects.toThrow(
      "Line 1 has more than 1000000 values.",
    );
    const text = '",'.repeat(1_000_000);
    expect(await parse(JSON.stringify({ text }))).toEqual([{ text }]);
  });

  it.each([
    ['{"a": 1.0}'],
    ["[]"],
    ["{}"],
    ['[ [1, "]}"], {"b\\"": 12345678901234567890} ]'],
    ['{"$int":"1","b":2}'],
    ['{"$int":1}'],
    ['{"$date":"2026-01-01"}'],
  ])("keep %s as it is written", async (value) => {
    expect(await parse(`{"2":${value} , "1":{"$int":"5"},"x": 9007199254740993,"y":${value}}`)).toEqual([
      { 1: { $int: "5" }, 2: value, x: { $bare: "9007199254740993" }, y: value },
    ]);
  });

  it.each([
    ['{"a":9007199254740993}', { $bare: "9007199254740993" }],
    ['{"a": -9223372036854775808 }', { $bare: "-9223372036854775808" }],
    ['{"a":9007199254740991}', 9007199254740991],
    ['{"a":0.1234567890123456789}', 0.12345678901234568],
    ['{"a":1234567890123456789.5}', 1.2345678901234568e18],
    ['{"a":12345678901234567890e3}', 1.2345678901234568e22],
    ['{"a":"9007199254740993"}', "9007199254740993"],
    ['{"a":"\\"9007199254740993"}', '"9007199254740993'],
  ])("%s keeps its digits", async (line, value) => {
    expect(await parse(line)).toEqual([{ a: value }]);
  });

  it("keep the digits behind a text of very many escapes", async () => {
    const text = "\n".repeat(6_000_000);
    const [parsed] = await parse(`{"a":${JSON.stringify(text)},"b":9007199254740993}`);
    expect(parsed?.["a"] === text).toBe(true);
    expect(parsed?.["b"]).toEqual({ $bare: "9007199254740993" });
  });

  it.each(["1234567890123456", '"1234567890123456'])(
    "%s and many quotes are refused at once",
    async (start) => {
      const before = process.cpuUsage();
      await expect(parse(start + '\\"'.repeat(32_000))).rejects.toThrow("Line 1 is not JSON.");
      // The work, not the time: a look at all quotes for each of them takes seconds on any machine.
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
    },
  );

  it("gives back any text and any integer", async () => {
    const record = fc.record({
      t: fc.string({ unit: "binary" }),
      i: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    });
    await fc.assert(
      fc.asyncProperty(record, async ({ t, i }) => {
        const [parsed] = await parse(`{"t":${JSON.stringify(t)},"i":${i}}\n`);
        const integer = parsed?.["i"] as number | { $bare: string };
        expect(parsed?.["t"]).toBe(t);
        expect(BigInt(typeof integer === "number" ? integer : integer.$bare)).toBe(i);
      }),
    );
  });
});

describe("an array", () => {
  const parseArray = parserOf(parseJsonArray);

  it("has objects, in whatever pieces they come", async () => {
    const text = ' [\n {"a":"],[{\\"",\n"b":[{"c":1.0}]} ,{},\n{"d":9007199254740993}]\n';
    const records = [{ a: '],[{"', b: '[{"c":1.0}]' }, {}, { d: { $bare: "9007199254740993" } }];
    expect(await parseArray(text)).toEqual(records);
    expect(await parseArray(...Array.from(text))).toEqual(records);
    expect(await parseArray("[ ]")).toEqual([]);
  });

  it.each([
    ['[{"a":1},]', "2: Item 2 is not JSON."],
    ['[{"a":1},,{}]', "2: Item 2 is not JSON."],
    ['[{"a":1}, [2]]', "2: Item 2 is not a JSON object."],
    ...['[{"a":1}', '[{"a":1', '[{"a":1}}', '[{"a":1]}', '[{"a":1}]]', "[] x", '[]{"a":1}'].map((text) => [
      text,
      "which is cut off, or something follows it.",
    ]),
  ])("%j is refused", async (text = "", message = "") => {
    await expect(parseArray(text)).rejects.toThrow(message);
  });

  it("is told from lines that begin with a bracket", () => {
    expect(["[{", "\r\n[ \n{", "[]"].filter(isJsonArray)).toHaveLength(3);
    expect(["[info] {", '["a"]', "[[1]]", "{", "", "x [{"].filter(isJsonArray)).toEqual([]);
  });
});
