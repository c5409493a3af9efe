import { describe, expect, it } from "vitest";
import { UsageError } from "../support/usage.ts";
import { parseCommand } from "./usage.ts";

describe("parseCommand", () => {
  it("has defaults", () => {
    expect(parseCommand(["core"])).toEqual({
      suite: "core",
      rounds: 20,
      quick: false,
      only: undefined,
      json: undefined,
      node: undefined,
      help: false,
    });
  });

  it("runs fewer rounds when quick, unless told how many", () => {
    expect(parseCommand(["core", "--quick"]).rounds).toBe(5);
    expect(parseCommand(["core", "--quick", "--rounds", "9"]).rounds).toBe(9);
  });

  it("reads names between commas", () => {
    expect(parseCommand(["core", "--only", "ours, SDK v1"]).only).toEqual(["ours", "SDK v1"]);
  });

  it("knows help without a suite", () => {
    expect(parseCommand(["-h"])).toMatchObject({ help: true, suite: undefined });
  });

  it.each([
    [["core", "http"]],
    [["core", "--fast"]],
    [["core", "--json"]],
    [["core", "--rounds", "0"]],
    [["core", "--rounds", "1.5"]],
    [["core", "--rounds", "many"]],
    [["core", "--rounds", "1001"]],
    [["core", "--node", "24"]],
  ])("refuses %j", (args) => {
    expect(() => parseCommand(args)).toThrow(UsageError);
  });

  it("says which value is missing", () => {
    expect(() => parseCommand(["core", "--json", "--quick"])).toThrow("Did you forget to specify");
  });
});
