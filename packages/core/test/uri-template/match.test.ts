import { describe, expect, it } from "vitest";
import { MAX_URI_LENGTH } from "../../src/uri-template/match.ts";
import { parseUriTemplate } from "../../src/uri-template/uri-template.ts";

type Values = Readonly<Record<string, string | readonly string[]>>;
type Case = readonly [template: string, uri: string, expected: Values | undefined];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  "literals alone": [
    ["a://b", "a://b", {}],
    ["a://b", "a://bc", undefined],
    ["a://b", "xa://b", undefined],
    ["", "", {}],
    ["", "a", undefined],
    ["café", "café", {}],
    ["café", "caf%c3%a9", {}],
    ["caf%c3%a9", "café", {}],
  ],
  "simple variables": [
    ["test://template/{id}/data", "test://template/123/data", { id: "123" }],
    ["test://template/{id}/data", "test://template/1/2/data", undefined],
    ["test://template/{id}/data", "test://template//data", undefined],
    ["a/{x}", "a/b?c", undefined],
    ["a/{x}", "a/b#c", undefined],
    ["a/{x}", "a/", undefined],
    ["a/{x}", "a/b%2Fc%3F%23", { x: "b/c?#" }],
    ["a/{x}", "a/p@q:r", { x: "p@q:r" }],
    ["a/{x}", "a/%C3%A9é", { x: "éé" }],
    ["{name}.{ext}", "a.tar.gz", { name: "a", ext: "tar.gz" }],
    ["{a}-{b}-{c}", "1-2-3-4", { a: "1", b: "2", c: "3-4" }],
    ["{x,y}", "1024,768", { x: "1024", y: "768" }],
    ["{x,y}", "1024", { x: "1024" }],
    ["{x,y}", "1,2,3", undefined],
    ["{list}", "red,green", { list: "red,green" }],
    ["{list*}", "red,gr%2Ceen", { list: ["red", "gr,een"] }],
    ["{list*,last}", "a,b,c", { list: ["a", "b"], last: "c" }],
    ["{x}2F", "a%2F", undefined],
    ["{x}2F{y}", "a%2F2Fb", { x: "a/", y: "b" }],
  ],
  "reserved and fragment": [
    ["file:///{+path}", "file:///a/b?c#d", { path: "a/b?c#d" }],
    ["file:///{+path}", "file:///", undefined],
    ["{+path}/history", "a/history/b/history", { path: "a/history/b" }],
    ["{+path}/lines/{from}-{to}", "a/lines/b/lines/3-4", { path: "a/lines/b", from: "3", to: "4" }],
    ["{+path}{?limit,cursor}", "a/b?limit=3", { path: "a/b", limit: "3" }],
    ["{+path}{?limit,cursor}", "a/b", { path: "a/b" }],
    ["{+path}{?limit,cursor}", "a/b?other=3", undefined],
    ["{+base}{/id}", "http://x/1", { base: "http://x", id: "1" }],
    ["{+a,b}", "/x/y,z", { a: "/x/y", b: "z" }],
    ["p{#at}", "p#/a?b", { at: "/a?b" }],
    ["p{#at}", "p#", { at: "" }],
    ["p{#at}", "p", {}],
    ["p{#a,b}", "p#1,2", { a: "1", b: "2" }],
    ["p{#a,b}", "p,2", undefined],
    ["p{#list*}", "p#1,2", { list: ["1", "2"] }],
  ],
  "labels and segments": [
    ["X{.ext}", "X.tar.gz", { ext: "tar.gz" }],
    ["X{.a,b}", "X.tar.gz", { a: "tar", b: "gz" }],
    ["X{.a,b}", "X.a.b.c", undefined],
    ["www{.dom*}", "www.example.com", { dom: ["example", "com"] }],
    ["{name}{.ext}", "a.txt", { name: "a", ext: "txt" }],
    ["{name}{.ext}", ".profile", { name: ".profile" }],
    ["r{/a,b}", "r/1/2", { a: "1", b: "2" }],
    ["r{/a,b}", "r/1", { a: "1" }],
    ["r{/a,b}", "r", {}],
    ["r{/a,b}", "r/1/2/3", undefined],
    ["r{/a}", "r/", { a: "" }],
    ["r{/path*}", "r/a/b%2Fc/d", { path: ["a", "b/c", "d"] }],
    ["r{/path*}", "r/a", { path: ["a"] }],
    ["r{/path*}", "r", {}],
    ["r{/path*}", "ra", undefined],
    ["r{/path*}", "r/a?b", undefined],
    ["r{/path*}/edit", "r/a/edit/edit", { path: ["a", "edit"] }],
    ["r{/folders*,file}", "r/a/b/c", { folders: ["a", "b"], file: "c" }],
    ["r{/folders*,file}", "r/c", { file: "c" }],
    ["r{/path*}{?q}", "r/a/b?q=1", { path: ["a", "b"], q: "1" }],
  ],
  parameters: [
    ["m{;a,b}", "m;a=1;b=2", { a: "1", b: "2" }],
    ["m{;a,b}", "m;b=2;a", { a: "", b: "2" }],
    ["m{;a}", "m;c=1", undefined],
    ["m{;a*}", "m;a=1;a=2", { a: ["1", "2"] }],
    ["s{?a,b}", "s?a=1&b=2", { a: "1", b: "2" }],
    ["s{?a,b}", "s?b=2&a=1", { a: "1", b: "2" }],
    ["s{?a,b}", "s?b=2", { b: "2" }],
    ["s{?a,b}", "s", {}],
    ["s{?a,b}", "s?a=1&c=3", undefined],
    ["s{?a,b}", "s?a=1&a=2", undefined],
    ["s{?a,b}", "s?", undefined],
    ["s{?a,b}", "s?a=1&", undefined],
    ["s{?a,b}", "s?a=&b", { a: "", b: "" }],
    ["s{?a}", "s?a=x=y", { a: "x=y" }],
    ["s{?a}", "s?a=1,2", { a: "1,2" }],
    ["s{?a}", "s?a=b+c", { a: "b+c" }],
    ["s{?a}", "s?a=http://x/?y", { a: "http://x/?y" }],
    ["s{?a*}", "s?a=1&a=2", { a: ["1", "2"] }],
    ["s{?a*}", "s?a=1", { a: ["1"] }],
    ["s{?a*,b}", "s?a=1&b=x&a=2", { a: ["1", "2"], b: "x" }],
    ["s{?a}{&b}", "s?b=2&a=1", { a: "1", b: "2" }],
    ["s{?a}{#f}", "s?a=1#x", { a: "1", f: "x" }],
    ["s?v=1{&a}", "s?v=1&a=2", { a: "2" }],
    ["s?v=1{&a}", "s?v=1", {}],
    ["s?q={q}{&page}", "s?q=x&page=2", { q: "x", page: "2" }],
    ["s?q={q}{&page}", "s?q=x&other=2", undefined],
    ["s{?caf%c3%a9}", "s?café=1", { "caf%c3%a9": "1" }],
  ],
  "adjacent variables": [
    ["{a}{b}", "xyz", { a: "xyz", b: "" }],
    ["{a}{b}", "", undefined],
    ["h://{host}{+path}", "h://x.y/a/b", { host: "x.y", path: "/a/b" }],
    ["h://{host}{+path}", "h://x.y", { host: "x.y", path: "" }],
    ["{+a}{+b}{+c}x", "1x2x", { a: "1x2", b: "", c: "" }],
    ["up{+path}{var}/here", "up/foo/barvalue/here", { path: "/foo/barvalue", var: "" }],
  ],
  "repeated variables and prefixes": [
    ["{a}/{a}", "x/x", { a: "x" }],
    ["{a}/{a}", "x/y", undefined],
    ["{a:1}/{a}", "v/value", { a: "value" }],
    ["{a}/{a:1}", "value/v", { a: "value" }],
    ["{a:1}/{a}", "x/value", undefined],
    ["{a}/{a:3}", "v/val", undefined],
    ["{a:3}", "abc", { a: "abc" }],
    ["{a:3}", "abcd", undefined],
    ["{a:1}", "%F0%9F%98%80", { a: "😀" }],
  ],
  "broken escapes": [
    ["{a}", "%", undefined],
    ["{a}", "x%4", undefined],
    ["{a}", "%zz", undefined],
    ["{a}", "%FF", undefined],
    ["{a*}", "x,%FF", undefined],
    ["{+a}", "/%C3", undefined],
    ["s{?a*}", "s?a=1&a=%FF", undefined],
    ["{a}", "\uD800", { a: "\uFFFD" }],
  ],
  "names of Object.prototype": [
    ["{__proto__}/{constructor}", "a/b", { ["__proto__"]: "a", constructor: "b" }],
    ["s{?__proto__*}", "s?__proto__=a", { ["__proto__"]: ["a"] }],
    ["s{?a}", "s?__proto__=a", undefined],
    ["s{?a}", "s?toString=a", undefined],
  ],
};

describe.each(Object.entries(CASES))("match: %s", (_name, cases) => {
  it.each(cases)("%s on %j", (template, uri, expected) => {
    const found = parseUriTemplate(template).match(uri);
    expect(found && new Map(Object.entries(found))).toEqual(expected && new Map(Object.entries(expected)));
  });
});

describe("the values", () => {
  it("have no prototype to fall through to", () => {
    const found = parseUriTemplate("{?a}").match("");
    expect(found).toBeDefined();
    expect(found?.["constructor"]).toBeUndefined();
  });
});

describe("bounds", () => {
  it("refuses a URI over the limit, raw or percent-encoded", () => {
    const template = parseUriTemplate("{+a}");
    expect(template.match("a".repeat(MAX_URI_LENGTH))).toBeDefined();
    expect(template.match("a".repeat(MAX_URI_LENGTH + 1))).toBeUndefined();
    expect(template.match("é".repeat(MAX_URI_LENGTH / 6))).toBeDefined();
    expect(template.match("é".repeat(MAX_URI_LENGTH / 6 + 1))).toBeUndefined();
  });

  // A backtracking matcher would not come back from these.
  it.each([
    ["unanchored variables", "{+a}{+b}{+c}x", `${"x".repeat(65_000)}y`],
    ["many anchors", `${"{+a}x".repeat(50)}z`, "x".repeat(65_000)],
    ["adjacent lists", `${"{a*}".repeat(60)}z`, ",".repeat(65_000)],
    ["anchored paths", `${"{/a*}/".repeat(40)}z`, "/".repeat(65_000)],
    ["paths before segments", `${"{/a*,b}".repeat(40)}z`, "/a".repeat(32_000)],
    ["repeated queries", `s${"{?a}".repeat(60)}`, `s${"?a".repeat(32_000)}`],
    ["repeated parameters", "s{?a*}", `s?${"a&".repeat(32_000)}b`],
    ["long periodic literals", `${"a".repeat(4000)}{x}${"a".repeat(4000)}b`, "a".repeat(65_000)],
  ])("stays linear with %s", (_kind, template, uri) => {
    expect(parseUriTemplate(template).match(uri)).toBeUndefined();
  });
});
