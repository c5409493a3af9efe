import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromFileUri, toFileUri, type PathStyle } from "../../src/domain/uris.ts";

const segment = (forbidden: RegExp): fc.Arbitrary<string> =>
  fc
    .oneof(fc.string({ minLength: 1 }), fc.string({ minLength: 1, unit: "binary" }))
    .filter((name) => !forbidden.test(name) && name.isWellFormed());

const posixPath = fc.array(segment(/[/\0]/), { maxLength: 6 }).map((names) => `/${names.join("/")}`);
const windowsPath = fc
  .tuple(fc.constantFrom("C:", "d:"), fc.array(segment(/[\\/\0]/), { maxLength: 6 }))
  .map(([drive, names]) => `${drive}\\${names.join("\\")}`);

describe("file URIs", () => {
  it.each<[PathStyle, fc.Arbitrary<string>]>([
    ["posix", posixPath],
    ["windows", windowsPath],
  ])("lead back to exactly the path they were made of (%s)", (style, paths) => {
    fc.assert(
      fc.property(paths, (path) => {
        expect(fromFileUri(toFileUri(path, style), style)).toBe(path);
      }),
    );
  });

  it("hold nothing but characters of a URI's path", () => {
    fc.assert(
      fc.property(posixPath, (path) => {
        expect(toFileUri(path, "posix")).toMatch(/^file:\/\/\/([\w\-.~!$&'()*+,;=:@/]|%[0-9A-F]{2})*$/);
      }),
    );
  });

  it("are spelled as other programs spell them", () => {
    const path = "/home/möre/a b/100%/x#y?z/[1]+@:,;=&$!'()*.txt";
    expect(toFileUri(path, "posix")).toBe(
      "file:///home/m%C3%B6re/a%20b/100%25/x%23y%3Fz/%5B1%5D+@:,;=&$!'()*.txt",
    );
    const shared = "/home/möre/a b/100%/x#y?z+@:,;=&$!'()*.txt";
    expect(toFileUri(shared, "posix")).toBe(pathToFileURL(shared).href);
  });

  it.each<[string, string, PathStyle]>([
    ["/", "file:///", "posix"],
    ["C:\\", "file:///C:", "windows"],
    ["C:\\a b\\c", "file:///C:/a%20b/c", "windows"],
  ])("of %s is %s", (path, uri, style) => {
    expect(toFileUri(path, style)).toBe(uri);
    expect(fromFileUri(uri, style)).toBe(path);
  });

  it.each<[string, string, PathStyle]>([
    ["FILE://localhost/a", "/a", "posix"],
    ["file:///a/../%2e%2E/b", "/a/../../b", "posix"],
    ["file:///a%5Cb", "/a\\b", "posix"],
    ["file:///%41/ü", "/A/ü", "posix"],
    ["file:///a/b/", "/a/b/", "posix"],
    ["file:///c%3A/x", "c:\\x", "windows"],
  ])("%s is read as %s", (uri, path, style) => {
    expect(fromFileUri(uri, style)).toBe(path);
  });

  it.each<[string, PathStyle]>([
    ["file://server/share/x", "posix"],
    ["file:/a", "posix"],
    ["file:a", "posix"],
    ["file://", "posix"],
    ["http:///a", "posix"],
    ["/a", "posix"],
    ["file:///a?b", "posix"],
    ["file:///a#b", "posix"],
    ["file:///a%2Fb", "posix"],
    ["file:///a%2fb", "posix"],
    ["file:///a%00b", "posix"],
    ["file:///a\0b", "posix"],
    ["file:///%FF", "posix"],
    ["file:///%zz", "posix"],
    ["file:///a%5Cb", "windows"],
    ["file:///C:/a\\b", "windows"],
    ["file:///etc/passwd", "windows"],
    ["file:///CC:/x", "windows"],
    ["file:///", "windows"],
  ])("%j is refused (%s)", (uri, style) => {
    expect(() => fromFileUri(uri, style)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });

  it("are not made of what has none", () => {
    const refused = (code: string): unknown => expect.objectContaining({ code });
    expect(() => toFileUri("a/b", "posix")).toThrow(refused("invalid_input"));
    expect(() => toFileUri("C:a", "windows")).toThrow(refused("invalid_input"));
    expect(() => toFileUri("\\\\server\\share\\x", "windows")).toThrow(refused("unsupported"));
    expect(() => toFileUri("C:\\\uD800", "windows")).toThrow(refused("unsupported"));
  });

  it("are quoted in part when they are long", () => {
    const uri = `file://host/${"x".repeat(10_000)}`;
    expect(() => fromFileUri(uri)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,300}$/) }),
    );
  });
});
