import { expect, it } from "vitest";
import { formatOf } from "../../../src/domain/transfer/format.ts";

it.each([
  ["a.csv", "csv"],
  ["a", "csv"],
  ["a.txt", "csv"],
  ["a.jsonl", "jsonl"],
  ["a.NDJSON", "jsonl"],
  ["a.jsonl.csv", "csv"],
])("the format of %s is %s", (path, format) => {
  expect(formatOf(path)).toBe(format);
});
