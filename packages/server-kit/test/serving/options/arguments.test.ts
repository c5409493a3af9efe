import { describe, expect, it } from "vitest";

import { readArguments } from "../../../src/serving/options/arguments.ts";
import { defineOptions, definePositionals } from "../../../src/serving/options/option.ts";

const description = "…";
const table = defineOptions({
  file: { flag: "--file", short: "-f", type: "string", description },
  count: { flag: "--count", type: "integer", description },
  loud: { flag: "--loud", type: "boolean", description },
  tools: { flag: "--tools", type: "list", description },
  help: { flag: "--help", type: "boolean", isCommand: true, description },
  token: { env: "APP_API_TOKEN", type: "string", secret: true, description },
});
const positionals = definePositionals({
  command: { placeholder: "COMMAND", type: "string", description },
  folders: { placeholder: "DIR", type: "list", description },
});

const read = (...argv: string[]) => {
  const { given, problems } = readArguments(argv, table, positionals);
  const texts = Object.fromEntries([...given].map(([key, entry]) => [key, entry.texts]));
  return { texts, problems: problems.map(({ message }) => message) };
};

describe("arguments that fit", () => {
  it.each<[string[], object]>([
    [[], {}],
    [["--file", "a"], { file: ["a"] }],
    [["--file=a=b"], { file: ["a=b"] }],
    [["-f", "a"], { file: ["a"] }],
    [["--file", "-"], { file: ["-"] }],
    [["--count", "-5"], { count: ["-5"] }],
    [["--loud"], { loud: ["true"] }],
    [["--loud=false"], { loud: ["false"] }],
    [["--no-loud"], { loud: ["false"] }],
    [["--tools", "a", "--tools", "b,c"], { tools: ["a", "b,c"] }],
    [["run", "--loud", "x", "y"], { loud: ["true"], command: ["run"], folders: ["x", "y"] }],
    [["run", "--", "--loud", "-f"], { command: ["run"], folders: ["--loud", "-f"] }],
  ])("%j", (argv, texts) => {
    expect(read(...argv)).toEqual({ texts, problems: [] });
  });
});

describe("arguments that do not", () => {
  it.each<[string[], string[]]>([
    [["--fiel", "a"], ["Unknown option --fiel (did you mean --file?)"]],
    [["--frobnicate=secret"], ["Unknown option --frobnicate"]],
    [["-x"], ["Unknown option -x"]],
    [["--file"], ["--file needs a value"]],
    [["--file="], ["--file needs a value"]],
    [["--file", "--loud"], ["--file needs a value"]],
    [
      ["--file", "--lod"],
      ["--file needs a value", "Unknown option --lod (did you mean --loud?)"],
    ],
    [["--count", "-f", "a"], ["--count needs a value"]],
    [["--file", "a", "-f", "b"], ["-f is given more than once"]],
    [["--no-file"], ["Unknown option --no-file (did you mean --file?)"]],
    [["--no-help"], ["Unknown option --no-help (did you mean --help?)"]],
    [["--no-loud=1"], ["Unknown option --no-loud (did you mean --loud?)"]],
    [
      ["--bogus", "--fiel"],
      ["Unknown option --bogus", "Unknown option --fiel (did you mean --file?)"],
    ],
    [
      ["--api-token", "hunter2"],
      ["--api-token is a secret, and other users can read arguments: set APP_API_TOKEN instead"],
    ],
  ])("%j", (argv, problems) => {
    expect(read(...argv).problems).toEqual(problems);
  });

  it("more words than there are places for", () => {
    const { command } = positionals;
    const { problems } = readArguments(["a", "b", "redis://u:hunter2@h"], table, { command });
    expect(problems).toEqual([
      { reason: "usage", message: 'Unexpected argument "b"' },
      { reason: "usage", message: 'Unexpected argument "redis://[hidden]@h"' },
    ]);
  });
});

it("two options with one flag are a mistake of the author", () => {
  const twice = { ...table, other: { flag: "--file", type: "string", description } } as const;
  expect(() => readArguments(["a"], twice, {})).toThrow("Two options have the flag --file");
});
