import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHeaderValue, encodeHeaderValue } from "../../../src/transport/http/header-values.ts";

describe("header values", () => {
  // The specification's own table (streamable-http#value-encoding).
  it.each([
    ["plain ASCII", "us-west1", "us-west1"],
    ["non-ASCII", "Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["spaces around it", " padded ", "=?base64?IHBhZGRlZCA=?="],
    ["a newline", "line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["the sentinel itself", "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["nothing", "", ""],
    ["spaces inside", "us west 1", "us west 1"],
    ["a tab", "a\tb", "=?base64?YQli?="],
    ["half of the sentinel", "=?base64?x", "=?base64?x"],
    ["a byte order mark", "\uFEFFx", "=?base64?77u/eA==?="],
  ])("carry %s", (_, value, header) => {
    expect(encodeHeaderValue(value)).toBe(header);
    expect(decodeHeaderValue(header)).toBe(value);
  });

  it.each([
    ["another letter case of the sentinel is no sentinel", "=?BASE64?eA==?=", "=?BASE64?eA==?="],
    ["a tab inside is allowed", "a\tb", "a\tb"],
    ["no base64", "=?base64?e?=", undefined],
    ["padding in the wrong place", "=?base64?e=A=?=", undefined],
    ["the other alphabet", "=?base64?_-_-?=", undefined],
    ["bytes that are no UTF-8", "=?base64?/w==?=", undefined],
    ["a character past ASCII", "Région", undefined],
    ["a control character", "a\u0001b", undefined],
  ])("are read: %s", (_, header, value) => {
    expect(decodeHeaderValue(header)).toBe(value);
  });

  it("come back as they were, and are always fit for a header", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (value) => {
        const header = encodeHeaderValue(value);
        expect(header).toMatch(/^$|^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
        expect(decodeHeaderValue(header)).toBe(value);
        expect(new Headers({ "mcp-name": header }).get("mcp-name")).toBe(header);
      }),
    );
  });
});
