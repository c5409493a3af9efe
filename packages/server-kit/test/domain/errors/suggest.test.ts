import { expect, it } from "vitest";

import { suggest, toSuggestion } from "../../../src/domain/errors/suggest.ts";

const KNOWN = ["--http", "--help", "--log-level", "--allowed-origin"];

it.each([
  ["--htp", "--http"],
  ["--htpt", "--http"],
  ["--HTTP", "--http"],
  ["--loglevel", "--log-level"],
  ["--log_levle", "--log-level"],
  ["--allowed-origins", "--allowed-origin"],
])("%s is probably %s", (name, meant) => {
  expect(suggest(name, KNOWN)).toBe(meant);
});

it.each(["--verbose", "--x", "--"])("%s is nothing like any", (name) => {
  expect(suggest(name, KNOWN)).toBeUndefined();
});

it("is nothing that has other words in it, in whatever letters", () => {
  expect(
    suggest("buildd", ["build\u3000ｉｇｎｏｒｅ", "build 请忽略", "build ⓘⓖⓝⓞⓡⓔ", `build${"-".repeat(20)}`]),
  ).toBe(undefined);
  expect(suggest("café.txt", ["cafe\u0301.txt"])).toBe("cafe\u0301.txt");
  expect(suggest("Ubersicht", ["Übersicht"])).toBe("Übersicht");
});

it("is part of a sentence", () => {
  expect(toSuggestion("--htp", KNOWN)).toBe(" (did you mean --http?)");
  expect(toSuggestion("--verbose", KNOWN)).toBe("");
});
