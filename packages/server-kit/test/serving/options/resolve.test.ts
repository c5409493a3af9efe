import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve as toAbsolute } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { type OptionTable, type PositionalTable } from "../../../src/serving/options/option.ts";
import { type Environment, resolveOptions } from "../../../src/serving/options/resolve.ts";

const description = "…";
const table: OptionTable = {
  file: { flag: "--file", env: "APP_FILE", type: "string", default: "d", description },
  count: { flag: "--count", env: "APP_COUNT", type: "integer", description },
  loud: { flag: "--loud", env: "APP_LOUD", type: "boolean", description },
  tools: { flag: "--tools", env: "APP_TOOLS", type: "list", description },
  volume: { flag: "--volume", type: "integer", needs: "loud", description },
  token: {
    env: "APP_TOKEN",
    type: "string",
    secret: true,
    description,
    check: (text) => (text.length < 4 ? "at least 4 letters" : undefined),
  },
  help: { flag: "--help", type: "boolean", isCommand: true, description },
  config: { flag: "--config", env: "APP_CONFIG", type: "string", isCommand: true, description },
};
const folders: PositionalTable = {
  folders: { placeholder: "DIR", env: "APP_DIRS", type: "list", required: true, description },
};

const folder = mkdtempSync(join(tmpdir(), "server-kit-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function writeFile(text: string): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, text);
  return path;
}
const writeConfig = (value: unknown): string => writeFile(JSON.stringify(value));

const resolve = (argv: readonly string[], env: Environment = {}, positionals: PositionalTable = {}) =>
  resolveOptions({ table, positionals, argv, env });

describe("precedence", () => {
  const config = writeConfig({ file: "from file", count: 1, loud: true, tools: ["f"] });
  const env = { APP_FILE: "from environment", APP_COUNT: "2", APP_CONFIG: config };

  it("flags, environment, file, defaults", async () => {
    expect(await resolve(["--file", "from flag"], env)).toMatchObject({
      options: { file: "from flag", count: 2, loud: true, tools: ["f"], volume: undefined },
      origins: {
        file: { kind: "flag", name: "--file" },
        count: { kind: "environment", name: "APP_COUNT" },
        loud: { kind: "file", name: config },
        volume: { kind: "default" },
      },
      problems: [],
    });
  });

  it("a flag can take back what the others say", async () => {
    expect((await resolve(["--no-loud"], { APP_LOUD: "true", APP_CONFIG: config })).options["loud"]).toBe(
      false,
    );
  });

  it("--config comes before APP_CONFIG", async () => {
    const other = writeConfig({ file: "from another file" });
    expect((await resolve(["--config", other], { APP_CONFIG: config })).options["file"]).toBe(
      "from another file",
    );
  });

  it("defaults, when nothing is said, or only nothing", async () => {
    const { options, problems } = await resolve([], { APP_FILE: "", APP_COUNT: "", APP_CONFIG: "" });
    expect(options).toEqual({
      file: "d",
      count: undefined,
      loud: false,
      tools: [],
      volume: undefined,
      token: undefined,
      help: false,
      config: undefined,
    });
    expect(problems).toEqual([]);
  });

  it("gives what nobody can change", async () => {
    const { options, origins } = await resolve(["--tools", "a,b", "--tools", "c"]);
    expect(options["tools"]).toEqual(["a", "b", "c"]);
    expect([options, options["tools"], origins].every((value) => Object.isFrozen(value))).toBe(true);
  });
});

describe("arguments without flags", () => {
  it("are taken as they are, commas included", async () => {
    const { options, origins } = await resolve(["a,b", "c"], {}, folders);
    expect(options["folders"]).toEqual(["a,b", "c"]);
    expect(origins["folders"]).toEqual({ kind: "argument", name: "DIR" });
  });

  it("may come from a file that begins with a byte order mark", async () => {
    const config = writeFile(`\uFEFF${JSON.stringify({ folders: ["x"] })}`);
    expect(await resolve(["--config", config], {}, folders)).toMatchObject({
      options: { folders: ["x"] },
      problems: [],
    });
  });

  it("may come from the environment or a file too", async () => {
    expect((await resolve([], { APP_DIRS: "a,b" }, folders)).options["folders"]).toEqual(["a", "b"]);
    const config = writeConfig({ folders: ["x"] });
    expect((await resolve(["--config", config], {}, folders)).options["folders"]).toEqual(["x"]);
  });

  it("are missed if required", async () => {
    expect((await resolve([], {}, folders)).problems).toEqual([
      { reason: "usage", message: "DIR is required but missing" },
    ]);
  });
});

describe("paths", () => {
  const paths: PositionalTable = {
    cache: { placeholder: "CACHE", type: "string", toAbsolute, description },
    folders: { placeholder: "DIR", type: "list", toAbsolute, description },
  };

  it("that are empty are refused: they would be the working directory, or that of the file", async () => {
    const config = writeConfig({ cache: "", folders: ["x", ""] });
    for (const [argv, single, list] of [
      [["", "x", ""], "CACHE", "DIR"],
      [["--config", config], `cache in ${config}`, `folders in ${config}`],
    ] as const) {
      const { problems } = await resolve(argv, {}, paths);
      expect(problems.map(({ message }) => message)).toEqual([
        `${single}: expected a path, got ""`,
        expect.stringContaining(`${list}: expected a path, got `),
      ]);
    }
  });

  it("in a configuration file are relative to that file", async () => {
    const config = writeConfig({ folders: ["x", "../y", tmpdir()], cache: "./c", file: "./f" });
    const { options } = await resolve(["--config", config], {}, paths);
    expect(options).toMatchObject({
      folders: [join(folder, "x"), join(folder, "../y"), tmpdir()],
      cache: join(folder, "c"),
      file: "./f",
    });
    const wrong = writeConfig({ folders: ["x", 1] });
    const { problems } = await resolve(["--config", wrong], {}, paths);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("expected a list of strings"),
    ]);
  });
});

describe("problems", () => {
  const usage = (message: string) => ({ reason: "usage", message });
  const configuration = (message: string) => ({ reason: "configuration", message });

  it.each([
    [["--count", "many"], [usage('--count: expected a whole number, got "many"')]],
    [["--loud=maybe"], [usage('--loud: expected true or false, got "maybe"')]],
    [["--volume", "3"], [usage("--volume does nothing without --loud")]],
    [["--volume", "3", "--loud"], []],
  ])("of the command line: %j", async (argv, problems) => {
    expect((await resolve(argv)).problems).toEqual(problems);
  });

  it("of the environment", async () => {
    const env = { APP_COUNT: "many", APP_LOUD: "maybe" };
    expect((await resolve([], env)).problems).toEqual([
      configuration('APP_COUNT: expected a whole number, got "many"'),
      configuration('APP_LOUD: expected true or false, got "maybe"'),
    ]);
  });

  it.each([
    ["redis://:hunter2@host", "[hidden]@host", "redis://"],
    ["redis://user:hun/ter@2@host:1", "[hidden]@host:1", "redis://"],
    [":hunter2@host", "[hidden]@host", ""],
  ])("never show the credentials of %s", async (APP_COUNT, shown, scheme) => {
    expect((await resolve([], { APP_COUNT })).problems).toEqual([
      configuration(`APP_COUNT: expected a whole number, got "${scheme}${shown}"`),
    ]);
  });

  it("of a file's content, all at once", async () => {
    const config = writeConfig({ $schema: "x", count: "3", tols: [], "un-heard": 1, config: "a" });
    expect((await resolve(["--config", config])).problems).toEqual([
      configuration(`--config ${config} has an unknown key "tols" (did you mean tools?)`),
      configuration(`--config ${config} has an unknown key "un-heard"`),
      configuration(`--config ${config} has an unknown key "config"`),
      configuration(`count in ${config}: expected a whole number, got "3"`),
    ]);
  });

  it("of a file's content, which is shown as it is there", async () => {
    const config = writeConfig({ file: 3000, loud: null, count: ["u:hunter2@h", "b"] });
    expect((await resolve(["--config", config])).problems).toEqual([
      configuration(`file in ${config}: expected a string, got 3000`),
      configuration(`count in ${config}: expected a whole number, got ["[hidden]@h","b"]`),
      configuration(`loud in ${config}: expected true or false, got null`),
    ]);
  });

  it("never show credentials in the names of what is given", async () => {
    const config = writeConfig({
      "redis://u:hunter2@h": 1,
      loud: { list: [{ "u:hunter2@h": "u:hunter2@h" }] },
    });
    expect((await resolve(["--config", config])).problems).toEqual([
      configuration(`--config ${config} has an unknown key "redis://[hidden]@h"`),
      configuration(`loud in ${config}: expected true or false, got {"list":[{"[hidden]@h":"[hidden]@h"}]}`),
    ]);
  });

  it("of a file that says what to do in this run: it is not done", async () => {
    const config = writeConfig({ help: true });
    const { problems, options } = await resolve(["--config", config]);
    expect(problems).toEqual([configuration(`--config ${config} has an unknown key "help"`)]);
    expect(options["help"]).toBe(false);
  });

  it("of a file that is none", async () => {
    const missing = join(folder, "missing.json");
    expect((await resolve([], { APP_CONFIG: missing })).problems).toEqual([
      configuration(`APP_CONFIG ${missing} does not exist`),
    ]);
    expect((await resolve(["--config", folder])).problems).toEqual([
      configuration(`--config ${folder} is a directory`),
    ]);
    const list = writeConfig([]);
    expect((await resolve(["--config", list])).problems).toEqual([
      configuration(`--config ${list} must contain a JSON object`),
    ]);
  });

  it("of a file's notation, without a word of what is in it", async () => {
    const broken = writeFile('{\n  "token": "hunter22"\n  "count": 1\n}');
    expect((await resolve(["--config", broken])).problems).toEqual([
      configuration(`--config ${broken} is not JSON (line 3, column 3)`),
    ]);
    const [problem] = (await resolve(["--config", writeFile("hunter22")])).problems;
    expect(problem?.message).toMatch(/ is not JSON$/);
  });
});

describe("secrets", () => {
  it("come from the environment, a file of their own, or the configuration file", async () => {
    const own = writeFile("hunter22\n");
    expect((await resolve([], { APP_TOKEN: "hunter2" })).options["token"]).toBe("hunter2");
    const { options, origins } = await resolve([], { APP_TOKEN_FILE: own });
    expect(options["token"]).toBe("hunter22");
    expect(origins["token"]).toEqual({ kind: "environment", name: "APP_TOKEN_FILE" });
    const config = writeConfig({ token: "hunter222" });
    expect((await resolve([], { APP_CONFIG: config })).options["token"]).toBe("hunter222");
  });

  it("are not shown when they are no good", async () => {
    const texts = [
      await resolve([], { APP_TOKEN: "xyz" }),
      await resolve(["--config", writeConfig({ token: "xyz" })]),
      await resolve(["--token", "xyz"]),
      await resolve(["--token=xyz"]),
    ].map(({ problems }) => problems.map(({ message }) => message).join());
    expect(texts[0]).toBe("APP_TOKEN: expected at least 4 letters");
    expect(texts.every((text) => text !== "" && !text.includes("xyz"))).toBe(true);
  });

  it("are missed if their file is", async () => {
    const missing = join(folder, "secret");
    expect((await resolve([], { APP_TOKEN_FILE: missing })).problems).toEqual([
      { reason: "configuration", message: `APP_TOKEN_FILE: ${missing} does not exist` },
    ]);
  });

  it("are missed if required", async () => {
    const required: OptionTable = {
      token: { env: "APP_TOKEN", type: "string", secret: true, required: true, description },
    };
    const { problems } = await resolveOptions({ table: required, positionals: {}, argv: [], env: {} });
    expect(problems).toEqual([{ reason: "configuration", message: "APP_TOKEN is required but not set" }]);
  });
});
