import { describe, expect, it } from "vitest";
import type { RowGroup } from "../../../src/domain/transfer/field.ts";
import { readRecords, type RecordOptions } from "../../../src/domain/transfer/read-records.ts";
import { collect, inPieces } from "./pieces.ts";

const read = (
  format: RecordOptions["format"],
  text: string,
  options: Partial<RecordOptions> = {},
): Promise<(readonly RowGroup[])[]> => collect(readRecords(inPieces([text]), { format, ...options }));

describe("rows of a CSV file", () => {
  it("have the columns of its first line, whatever those look like", async () => {
    expect(await read("csv", '1,"b c"\nx,2\n')).toEqual([
      [{ columns: ["1", "b c"], from: 2, rows: [["x", { $bare: "2" }]] }],
    ]);
  });

  it("may be none", async () => {
    expect(await read("csv", "a,b\n")).toEqual([[{ columns: ["a", "b"], from: 2, rows: [] }]]);
  });

  it("are not lines with nothing on them, unless that is all a row has", async () => {
    expect(await read("csv", "a,b\n\n1,2\n\n")).toEqual([
      [
        { columns: ["a", "b"], from: 2, rows: [] },
        { columns: ["a", "b"], from: 3, rows: [[{ $bare: "1" }, { $bare: "2" }]] },
      ],
    ]);
    expect(await read("csv", "a\nx\n\n")).toEqual([[{ columns: ["a"], from: 2, rows: [["x"], [null]] }]]);
  });

  it.each([
    ["", "The file is empty: its first line names the columns."],
    ["a,,c\n", "Column 2 of the first line has no name."],
    ["a,b\n1,2\n1,2,3\n", "Record 3 has 3 fields, 2 were expected."],
    ["a,b\n1\n", "Record 2 has 1 field, 2 were expected."],
  ])("are not found in %j", async (text, message) => {
    await expect(read("csv", text)).rejects.toMatchObject({ code: "invalid_input", message });
  });
});

describe("rows of a messy CSV file", () => {
  it("have the names of the file, or those that are given", async () => {
    const text = " a ;b;c\n1;2;3\n";
    const marks = { delimiter: ";", quote: '"' };
    const row = [{ $bare: "1" }, { $bare: "2" }, { $bare: "3" }];
    expect(await read("csv", text, { marks })).toEqual([
      [{ columns: [" a ", "b", "c"], from: 2, rows: [row] }],
    ]);
    expect(await read("csv", text, { marks, columns: ["x", "", "z"] })).toEqual([
      [{ columns: ["x", "z"], from: 2, rows: [[{ $bare: "1" }, { $bare: "3" }]] }],
    ]);
    expect(await read("csv", "1;2\n", { marks, header: false, columns: ["x", "y"] })).toEqual([
      [{ columns: ["x", "y"], from: 1, rows: [[{ $bare: "1" }, { $bare: "2" }]] }],
    ]);
  });

  it("may be left out where they are none", async () => {
    expect(await read("csv", "a,b\n1,2\n1\n3,4\n", { skipBad: true })).toEqual([
      [
        { columns: ["a", "b"], from: 2, rows: [[{ $bare: "1" }, { $bare: "2" }]] },
        {
          columns: [],
          from: 3,
          rows: [],
          bad: [{ record: 3, reason: "Record 3 has 1 field, 2 were expected." }],
        },
        { columns: ["a", "b"], from: 4, rows: [[{ $bare: "3" }, { $bare: "4" }]] },
      ],
    ]);
    expect(await read("csv", "a,b\n,\n", { skipBad: true })).toMatchObject([
      [{ rows: [] }, { bad: [{ record: 2, reason: "Record 2 has nothing but empty fields." }] }],
    ]);
    expect(await read("csv", "a,b\n,\n")).toMatchObject([[{ rows: [[null, null]] }]]);
    await expect(read("jsonl", '{"a":1}\nx\n')).rejects.toMatchObject({ message: "Line 2 is not JSON." });
    expect(await read("jsonl", 'x\n{"a":1}\n', { skipBad: true })).toEqual([
      [
        expect.objectContaining({ bad: [expect.objectContaining({ record: 1 })] }),
        { columns: ["a"], from: 2, rows: [[1]] },
      ],
    ]);
  });
});

it("what the file needs instead is said", async () => {
  const hint = "JSON has one object a line, or one array of objects.";
  await expect(read("jsonl", "[1, 2]")).rejects.toMatchObject({ hint });
  await expect(read("jsonl", "[\n1\n]")).rejects.toMatchObject({ hint });
  await expect(read("jsonl", '{\n"a": 1\n}')).rejects.toMatchObject({ hint });
  await expect(read("jsonl", '{"a": 1,\n"b": 2}')).rejects.toMatchObject({ hint });
  await expect(read("json", '[{"a":1}]\n[{"a":2}]')).rejects.toMatchObject({ hint });
  await expect(read("csv", "a,b,\n1,2,\n")).rejects.toMatchObject({
    hint: expect.stringMatching(/"" is for one that is left out/) as string,
  });
});

describe("rows of a file of JSON lines", () => {
  it("may leave columns out, each in its own way", async () => {
    expect(await read("jsonl", '{"a":1}\n{"a":2}\n{"b":null,"a":3}\n{}\n')).toEqual([
      [
        { columns: ["a"], from: 1, rows: [[1], [2]] },
        { columns: ["b", "a"], from: 3, rows: [[null, 3]] },
        { columns: [], from: 4, rows: [[]] },
      ],
    ]);
    expect(await read("jsonl", "")).toEqual([[]]);
  });
});

describe("portions", () => {
  it("are small, by rows and by size", async () => {
    const many = await read("csv", `a\n${"x\n".repeat(1201)}`);
    expect(many.map((groups) => groups[0]?.rows.length)).toEqual([500, 500, 201]);
    const large = await read("csv", `a\n${`${"x".repeat(200_000)}\n`.repeat(5)}`);
    expect(large.map((groups) => groups[0]?.rows.length)).toEqual([2, 2, 1]);
    const blobs = await read("jsonl", `{"a":{"$blob":"${"A".repeat(200_000)}"}}\n`.repeat(3));
    expect(blobs.map((groups) => groups[0]?.rows.length)).toEqual([2, 1]);
    const named = await read(
      "jsonl",
      ["a", "b", "c"].map((name) => `{"${name.repeat(200_000)}":1}\n`).join(""),
    );
    expect(named.map((groups) => groups.length)).toEqual([2, 1]);
  });
});
