import { describe, expect, it } from "vitest";
import { UsageError } from "../support/usage.ts";
import { parseCommand, toHelp } from "./usage.ts";

const known = ["notes", "git"];

describe("the command line of the tour", () => {
  it("takes servers by name, or none for all", () => {
    expect(parseCommand([], known)).toEqual({ help: false, all: false, servers: [] });
    expect(parseCommand(["git"], known)).toEqual({ help: false, all: false, servers: ["git"] });
    expect(parseCommand(["git", "--all"], known)).toEqual({ help: false, all: true, servers: ["git"] });
    expect(parseCommand(["-h"], known).help).toBe(true);
  });

  it("refuses what it does not know, and says what there is", () => {
    expect(() => parseCommand(["svn"], known)).toThrow("no server svn; there are: notes, git");
    expect(() => parseCommand(["--fast"], known)).toThrow(new UsageError("Unknown option '--fast'"));
  });

  it("names every server in its help", () => {
    expect(toHelp(known)).toContain("notes, git");
  });
});
