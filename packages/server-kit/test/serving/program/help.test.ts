import { describe, expect, it } from "vitest";

import { standardOptions } from "../../../src/serving/options/standard-options.ts";
import { defineOptions, definePositionals, type OptionSpec } from "../../../src/serving/options/option.ts";
import { toHelp } from "../../../src/serving/program/help.ts";
import type { Program } from "../../../src/serving/program/program.ts";

const options = defineOptions({
  dbPath: {
    flag: "--db-path",
    env: "APP_DB",
    type: "string",
    placeholder: "FILE",
    required: true,
    description: "The database.",
  },
  wait: {
    flag: "--wait",
    type: "duration",
    default: 30_000,
    description: "How long to wait for a lock before giving up and saying so.",
  },
  colour: { flag: "--colour", type: "enum", values: ["red", "green"], description: "Its colour." },
  token: { env: "APP_TOKEN", type: "string", secret: true, description: "The key." },
});
const positionals = definePositionals({
  command: { placeholder: "COMMAND", type: "string", required: true, description: "What to do." },
  folders: { placeholder: "DIR", type: "list", description: "Where." },
});
const program = {
  name: "app",
  version: "1",
  description:
    "An app with a description that is longer than a line of a terminal is, so that it has to be broken somewhere.",
  examples: [{ args: "--db-path a.db", description: "Opens a.db." }],
} as const;

const help = toHelp(program as unknown as Program, { ...options, ...standardOptions }, positionals);
const sections = help.trimEnd().split("\n\n");
const section = (title: string): string => sections.find((text) => text.startsWith(title)) ?? "";

describe("help", () => {
  it("fits into 80 columns, without trailing blanks", () => {
    const lines = help.split("\n");
    expect(lines.filter((line) => line.length > 80 || line.endsWith(" "))).toEqual([]);
    expect(lines.length).toBeGreaterThan(60);
  });

  it("begins with what the program is", () => {
    expect(sections[0]).toBe("Usage: app [options] COMMAND [DIR...]");
    expect(sections[1]?.replaceAll("\n", " ")).toBe(program.description);
    expect(section("Arguments:")).toBe(
      [
        "Arguments:",
        "  COMMAND                     What to do. [required]",
        "  DIR                         Where.",
      ].join("\n"),
    );
  });

  it("shows a server's own options first, with all that is known of them", () => {
    expect(section("Options:")).toBe(
      [
        "Options:",
        "  --db-path FILE              The database. [required] [environment: APP_DB]",
        "  --wait TIME                 How long to wait for a lock before giving up and",
        "                              saying so. [default: 30s]",
        "  --colour red|green          Its colour.",
        "  APP_TOKEN                   The key. [a secret: set this variable, or name a",
        "                              file that holds it in APP_TOKEN_FILE]",
      ].join("\n"),
    );
    expect(sections.indexOf(section("Options:"))).toBeLessThan(sections.indexOf(section("HTTP:")));
  });

  it("shows every common option in its group, and its variable", () => {
    for (const { flag, env, group } of Object.values<OptionSpec>(standardOptions)) {
      const text = section(`${group}:`).replaceAll(/\s+/g, " ");
      expect(text).toContain(flag ?? env);
      expect(text).toContain(env ?? flag);
    }
  });

  it("puts a long flag on a line of its own", () => {
    expect(help).toContain(
      "\n  --auth-introspection-endpoint URL\n                              Where to check",
    );
  });

  it("gives examples, and the way to a host's configuration", () => {
    expect(section("Examples:")).toContain(
      "  app --db-path a.db\n      Opens a.db.\n  app --http 3000 --db-path a.db\n",
    );
    expect(section("Examples:")).toContain("  app --print-host-config claude-desktop --db-path a.db\n");
  });
});
