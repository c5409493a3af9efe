import { describe, expect, it } from "vitest";

import { toPrettyJson } from "../src/domain/parsing/json.ts";

describe("JSON", () => {
  const long = "x".repeat(120);
  it.each([
    [
      '{"a":[1,{"b":"x,{\\"]"},[],{ }],"c":{"d":null}}',
      '{"a": [1, {"b": "x,{\\"]"}, [], {}], "c": {"d": null}}',
    ],
    [" [ ] ", "[]"],
    ['"a: b, [c]"', '"a: b, [c]"'],
    [" 7 ", "7"],
    ['{ "a" : [ true ,\n false ] }', '{"a": [true, false]}'],
    ['{"":"\\\\","é":"\\u0041"}', '{"": "\\\\", "é": "\\u0041"}'],
    [
      `{"a":[1,2],"b":[{"c":"${long}","d":{}}],"e":3}`,
      `{\n "a": [1, 2],\n "b": [\n  {\n   "c": "${long}",\n   "d": {}\n  }\n ],\n "e": 3\n}`,
    ],
  ])("%s has what is short on one line", (text, expected) => {
    expect(toPrettyJson(text)).toBe(expected);
  });

  it.each(["12345678901234567890", "1.10", "1E400", '{"a":1,"a":2}'])(
    "%s keeps every digit and name",
    (text) => {
      expect(toPrettyJson(text).replaceAll(/\s/g, "")).toBe(text);
    },
  );

  it.each([
    [1.3, JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, tags: [id] })))],
    [12, `${"[".repeat(9000)}1${"]".repeat(9000)}`],
  ])("becomes at most %f times as long", (most, text) => {
    const pretty = toPrettyJson(text);
    expect(pretty.replaceAll(/\s/g, "") === text).toBe(true);
    expect(pretty.length).toBeLessThan(text.length * most);
  });

  it.each(["[1,", "{} {}"])("stays as it is: %s", (text) => {
    expect(toPrettyJson(text)).toBe(text);
  });
});
