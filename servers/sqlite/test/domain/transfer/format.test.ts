import { expect, it } from "vitest";
import { EXPORT_FORMATS, formatOf, IMPORT_FORMATS } from "../../../src/domain/transfer/format.ts";

it.each([
  ["a.csv", "csv"],
  ["a.jsonl", "jsonl"],
  ["a.NDJSON", "jsonl"],
  ["a.jsonl.csv", "csv"],
  ["report.MD", "md"],
])("the format of %s is %s", (path, format) => {
  expect(formatOf(path, EXPORT_FORMATS)).toBe(format);
});

it.each(["a", "a.txt", "a.xlsx", "csv"])("the format of %s is not guessed", (path) => {
  expect(() => formatOf(path, EXPORT_FORMATS)).toThrow("does not say which format");
  expect(() => formatOf("a.md", IMPORT_FORMATS)).toThrow("does not say which format");
});
