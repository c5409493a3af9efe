import { describe, expect, it } from "vitest";

import { parsePath } from "../../../src/domain/paths/lexical.ts";
import { catchFault } from "./scratch.ts";

describe("parsePath on POSIX", () => {
  it.each([
    ["/a/b", true, "/a/b"],
    ["/a/./b/../c/", true, "/a/c"],
    ["/../../a", true, "/a"],
    ["//a//b", true, "/a/b"],
    ["a/b", false, "a/b"],
    ["../a", false, "../a"],
    [".", false, "."],
    ["C:\\a", false, "C:\\a"],
    ["./~/a", false, "~/a"],
    ["~a", false, "~a"],
    ["/~/a", true, "/~/a"],
    ["file:a", false, "file:a"],
    ["file:///a%20b/%E2%82%AC", true, "/a b/€"],
    ["FILE://LOCALHOST/a", true, "/a"],
    ["file:///a/%2e%2e/b", true, "/b"],
    ["file:///%252e%252e/b", true, "/%2e%2e/b"],
  ])("reads %s", (text, isAbsolute, path) => {
    expect(parsePath(text, "linux")).toEqual({ isAbsolute, path });
  });

  it.each(["~", "~/a"])("refuses %s, which would be created as a directory of that name", (text) => {
    expect(catchFault(() => parsePath(text, "linux")).message).toBe(
      `The path "${text}" cannot be used: ~ is not expanded (a name that is just ~ is written ./~)`,
    );
  });

  it("counts bytes, not letters", () => {
    const longest = `/${"é".repeat(2047)}`;
    expect(parsePath(longest, "linux").path).toBe(longest);
    expect(catchFault(() => parsePath(`${longest}x`, "linux")).message).toContain("it is too long");
  });
});

describe("parsePath on Windows", () => {
  it.each([
    ["C:\\a\\..\\b", true, "C:\\b"],
    ["c:/a/b/", true, "c:\\a\\b"],
    ["a\\..\\..\\b", false, "..\\b"],
    ["file:///C:/a%20b", true, "C:\\a b"],
    ["file:///c%3A/a", true, "c:\\a"],
    ["file:///C:\\a\\b%20c", true, "C:\\a\\b c"],
    ["file://server/a%20share/b", true, "\\\\server\\a share\\b"],
  ])("reads %s", (text, isAbsolute, path) => {
    expect(parsePath(text, "win32")).toEqual({ isAbsolute, path });
  });

  it.each([
    "\\\\?\\C:\\a",
    "C:a",
    "a.txt:stream",
    "NUL",
    "file:///C:/a/CON",
    "file:////server/share",
    "file://server",
    "file://server/",
    "file://./pipe/a",
    "file://%3F/C:/a",
    "file://server/share/CON",
    "file:///C:a",
  ])("refuses %s", (text) => {
    expect(catchFault(() => parsePath(text, "win32")).code).toBe("invalid_input");
  });

  it("counts UTF-16 units", () => {
    expect(parsePath(`C:\\${"é\\".repeat(8000)}`, "win32").isAbsolute).toBe(true);
    expect(catchFault(() => parsePath(`C:\\${"é\\".repeat(16_000)}`, "win32")).message).toContain(
      "it is too long",
    );
  });
});

describe("file URIs", () => {
  it.each([
    ["file://server/share/a", "it names another machine"],
    ["file://", "its path is not absolute"],
    ["file://localhost", "its path is not absolute"],
    ["file:///a?b", "a query or fragment must be written %3F or %23"],
    ["file:///a#b", "a query or fragment must be written %3F or %23"],
    ["file:///a%2Fb", "it contains an encoded separator or NUL"],
    ["file:///a%2f..%2fb", "it contains an encoded separator or NUL"],
    ["file:///a%00", "it contains an encoded separator or NUL"],
    ["file:///a%", "its percent-encoding is broken"],
    ["file:///%C0%AE%C0%AE/a", "its percent-encoding is broken"],
    ["file:///%ED%A0%80", "its percent-encoding is broken"],
  ])("refuses %s", (uri, reason) => {
    const fault = catchFault(() => parsePath(uri, "linux"));
    expect([fault.code, fault.message]).toEqual([
      "invalid_input",
      `"${uri}" is not a usable file URI: ${reason}`,
    ]);
  });

  it("refuses an encoded separator of Windows", () => {
    expect(catchFault(() => parsePath("file:///C:/a%5Cb", "win32")).message).toContain(
      "an encoded separator",
    );
  });

  it("still refuses a NUL that was not encoded", () => {
    expect(catchFault(() => parsePath("file:///a\0", "linux")).message).toContain("NUL");
  });
});
