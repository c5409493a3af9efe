import { describe, expect, it } from "vitest";

import type { OptionSpec } from "../../../src/serving/options/option.ts";
import { placeholderOf, readJson, readText, valueToText } from "../../../src/serving/options/value-types.ts";

const description = "…";
const SPECS = {
  string: { type: "string", description },
  boolean: { type: "boolean", description },
  integer: { type: "integer", min: 1, max: 10, description },
  free: { type: "integer", description },
  duration: { type: "duration", description },
  list: { type: "list", description },
  paths: { type: "list", separator: ":", description },
  enum: { type: "enum", values: ["red", "green"], description },
} as const satisfies Record<string, OptionSpec>;

type Name = keyof typeof SPECS;

describe("from text", () => {
  it.each<[Name, string, unknown]>([
    ["string", "a b", "a b"],
    ["boolean", "true", true],
    ["boolean", "1", true],
    ["boolean", "false", false],
    ["boolean", "0", false],
    ["integer", "10", 10],
    ["free", "-5", -5],
    ["duration", "500ms", 500],
    ["duration", "30s", 30_000],
    ["duration", "1.5m", 90_000],
    ["duration", "1h", 3_600_000],
    ["list", "a, b,,c", ["a", "b", "c"]],
    ["paths", "/a,b:/c", ["/a,b", "/c"]],
    ["enum", "green", "green"],
  ])("%s takes %j", (name, text, value) => {
    expect(readText(text, SPECS[name])).toEqual({ value });
  });

  it.each<[Name, string, string]>([
    ["boolean", "yes", "true or false"],
    ["boolean", "toString", "true or false"],
    ["integer", "0", "a whole number from 1 up to 10"],
    ["integer", "11", "a whole number from 1 up to 10"],
    ["free", "1.5", "a whole number"],
    ["free", "1e3", "a whole number"],
    ["free", "99999999999999999999", "a whole number"],
    ["duration", "30", "a duration with its unit, such as 500ms, 30s, 5m or 1h"],
    ["duration", "-1s", "a duration with its unit, such as 500ms, 30s, 5m or 1h"],
    ["duration", "5 days", "a duration with its unit, such as 500ms, 30s, 5m or 1h"],
    ["enum", "Red", "one of red, green"],
  ])("%s refuses %j", (name, text, expected) => {
    expect(readText(text, SPECS[name])).toEqual({ expected });
  });
});

describe("from JSON", () => {
  it.each<[Name, unknown, unknown]>([
    ["string", "a", "a"],
    ["boolean", true, true],
    ["integer", 3, 3],
    ["duration", "2s", 2000],
    ["list", ["a", "b,c"], ["a", "b,c"]],
    ["enum", "red", "red"],
  ])("%s takes %j", (name, json, value) => {
    expect(readJson(json, SPECS[name])).toEqual({ value });
  });

  it.each<[Name, unknown, string]>([
    ["string", 1, "a string"],
    ["boolean", "true", "true or false"],
    ["integer", "3", "a whole number from 1 up to 10"],
    ["integer", null, "a whole number from 1 up to 10"],
    ["duration", 2000, "a duration with its unit, such as 500ms, 30s, 5m or 1h"],
    ["list", "a,b", "a list of strings"],
    ["list", [1], "a list of strings"],
    ["enum", ["red"], "one of red, green"],
  ])("%s refuses %j", (name, json, expected) => {
    expect(readJson(json, SPECS[name])).toEqual({ expected });
  });
});

it("asks the option itself last, and only about values of its type", () => {
  const even: OptionSpec = {
    type: "integer",
    description,
    check: (value) => (value % 2 === 0 ? undefined : "an even number"),
  };
  expect(readText("4", even)).toEqual({ value: 4 });
  expect(readText("5", even)).toEqual({ expected: "an even number" });
  expect(readText("x", even)).toEqual({ expected: "a whole number" });
});

it.each([
  [0, "0ms"],
  [1500, "1500ms"],
  [30_000, "30s"],
  [90_000, "90s"],
  [7_200_000, "2h"],
])("%d ms are shown as %s, which reads back the same", (ms, text) => {
  expect(valueToText(ms, SPECS.duration)).toBe(text);
  expect(readText(text, SPECS.duration)).toEqual({ value: ms });
});

it("has a placeholder for every type that takes a value", () => {
  const shown = Object.values(SPECS).map((spec) => placeholderOf(spec));
  expect(shown).toEqual(["TEXT", "", "N", "N", "TIME", "LIST", "LIST", "red|green"]);
  expect(placeholderOf({ ...SPECS.string, placeholder: "FILE" })).toBe("FILE");
});
