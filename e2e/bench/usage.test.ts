import { expect, it } from "vitest";
import { UsageError } from "../support/usage.ts";
import { parseCommand } from "./usage.ts";

it("a bench command runs fewer rounds when quick, unless told how many", () => {
  expect(parseCommand(["fresh", "--only", "git, sqlite"])).toMatchObject({
    suite: "fresh",
    rounds: 20,
    only: ["git", "sqlite"],
  });
  expect(parseCommand(["core", "--quick"]).rounds).toBe(5);
  expect(parseCommand(["core", "--quick", "--rounds", "9"]).rounds).toBe(9);
  expect(parseCommand(["-h"])).toMatchObject({ help: true, suite: undefined });
});

it.each([
  ["core", "http"],
  ["core", "--fast"],
  ["core", "--rounds"],
  ["core", "--rounds", "0"],
  ["core", "--rounds", "1.5"],
  ["core", "--rounds", "1001"],
  ["core", "--node", "24"],
  ["core", "--only", "SDK v1"],
  ["core", "--quick", "--save"],
])("a bench command is refused: %s %s %s", (...args) => {
  expect(() => parseCommand(args)).toThrow(UsageError);
});
