import { pathToFileURL } from "node:url";
import { fromFileUri } from "@suite/server-kit/domain";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toFileUri } from "../../src/domain/uris.ts";

const segment = (forbidden: RegExp): fc.Arbitrary<string> =>
  fc
    .oneof(fc.string({ minLength: 1 }), fc.string({ minLength: 1, unit: "binary" }))
    .filter((name) => !forbidden.test(name) && name.isWellFormed());

const posixPath = fc.array(segment(/[/\0]/), { maxLength: 6 }).map((names) => `/${names.join("/")}`);
const windowsPath = fc
  .tuple(fc.constantFrom("C:", "d:"), fc.array(segment(/[\\/\0]/), { maxLength: 6 }))
  .map(([drive, names]) => `${drive}\\${names.join("\\")}`);

describe("file URIs", () => {
  it.each<[NodeJS.Platform, fc.Arbitrary<string>]>([
    ["linux", posixPath],
    ["win32", windowsPath],
  ])("lead back to exactly the path they were made of (%s)", (platform, paths) => {
    fc.assert(
      fc.property(paths, (path) => {
        expect(fromFileUri(toFileUri(path, platform), platform)).toBe(path);
      }),
    );
  });

  it("hold nothing but characters of a URI's path", () => {
    fc.assert(
      fc.property(posixPath, (path) => {
        expect(toFileUri(path, "linux")).toMatch(/^file:\/\/\/([\w\-.~!$&'()*+,;=:@/]|%[0-9A-F]{2})*$/);
      }),
    );
  });

  it("are spelled as other programs spell them", () => {
    const path = "/home/möre/a b/100%/x#y?z/[1]+@:,;=&$!'()*.txt";
    expect(toFileUri(path, "linux")).toBe(
      "file:///home/m%C3%B6re/a%20b/100%25/x%23y%3Fz/%5B1%5D+@:,;=&$!'()*.txt",
    );
    const shared = "/home/möre/a b/100%/x#y?z+@:,;=&$!'()*.txt";
    expect(toFileUri(shared, "linux")).toBe(pathToFileURL(shared, { windows: false }).href);
  });

  it.each<[string, string, NodeJS.Platform]>([
    ["/", "file:///", "linux"],
    ["C:\\", "file:///C:", "win32"],
    ["C:\\a b\\c", "file:///C:/a%20b/c", "win32"],
    ["\\\\server\\share\\a b", "file://server/share/a%20b", "win32"],
  ])("of %s is %s", (path, uri, platform) => {
    expect(toFileUri(path, platform)).toBe(uri);
    expect(fromFileUri(uri, platform)).toBe(path);
  });

  it.each<[string, string, NodeJS.Platform]>([
    ["FILE://localhost/a", "/a", "linux"],
    ["file:///a/../%2e%2E/b", "/a/../../b", "linux"],
    ["file:///a%5Cb", "/a\\b", "linux"],
    ["file:///%41/ü", "/A/ü", "linux"],
    ["file:///a/b/", "/a/b/", "linux"],
    ["file:///c%3A/x", "c:\\x", "win32"],
    ["file:///C:\\a\\b", "C:\\a\\b", "win32"],
  ])("%s is read as %s", (uri, path, platform) => {
    expect(fromFileUri(uri, platform)).toBe(path);
  });

  it.each<[string, NodeJS.Platform]>([
    ["file://server/share/x", "linux"],
    ["file:/a", "linux"],
    ["file:a", "linux"],
    ["file://", "linux"],
    ["http:///a", "linux"],
    ["/a", "linux"],
    ["file:///a?b", "linux"],
    ["file:///a#b", "linux"],
    ["file:///a%2Fb", "linux"],
    ["file:///a%2fb", "linux"],
    ["file:///a%00b", "linux"],
    ["file:///a\0b", "linux"],
    ["file:///%FF", "linux"],
    ["file:///%zz", "linux"],
    ["file:///a%5Cb", "win32"],
    ["file://C:\\a", "win32"],
    ["file:///etc/passwd", "win32"],
    ["file:///CC:/x", "win32"],
    ["file:///", "win32"],
  ])("%j is refused (%s)", (uri, platform) => {
    expect(() => fromFileUri(uri, platform)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });

  it("are not made of what has none", () => {
    const refused = (code: string): unknown => expect.objectContaining({ code });
    expect(() => toFileUri("a/b", "linux")).toThrow(refused("invalid_input"));
    expect(() => toFileUri("C:a", "win32")).toThrow(refused("invalid_input"));
    expect(() => toFileUri("C:\\\uD800", "win32")).toThrow(refused("unsupported"));
  });

  it("are quoted in part when they are long", () => {
    const uri = `file://host/${"x".repeat(10_000)}`;
    expect(() => fromFileUri(uri, "linux")).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,300}$/) }),
    );
  });
});
