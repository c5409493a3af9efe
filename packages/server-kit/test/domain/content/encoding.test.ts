import { expect, it } from "vitest";
import { findEncoding } from "../../../src/domain/content/encoding.ts";

it.each([
  ["UTF-8", "utf-8"],
  ["utf8", "utf-8"],
  ["latin1", "latin1"],
  ["Shift_JIS", "shift_jis"],
])("finds %s", (label, name) => {
  expect(findEncoding(label)?.name).toBe(name);
});

it.each(["constructor", "toString", "__proto__", "no such"])("knows no encoding called %s", (label) => {
  expect(findEncoding(label)).toBeUndefined();
});

it("reads the quotes and the euro sign of windows-1252", () => {
  expect(findEncoding("iso-8859-1")?.decode(Buffer.from([0x80, 0x92, 0x61]))).toBe("€’a");
});
