import { describe, expect, it } from "vitest";

import { standardOptions } from "../../src/options/standard-options.ts";
import type { OptionSpec } from "../../src/options/option.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { Program } from "../../src/program/program.ts";
import { COMMON_DEFAULTS, COMMON_PREFIX, findUnconfigured } from "../../src/program/unconfigured.ts";
import { RecordedIo } from "./recorded-io.ts";

const description = "…";
const options = {
  path: { flag: "--path", env: "APP_PATH", type: "string", default: "a", description },
  names: { flag: "--names", type: "list", description },
  loud: { flag: "--loud", type: "boolean", description },
  token: { env: "APP_TOKEN", type: "string", secret: true, description },
} as const;
const folder = { placeholder: "DIR", type: "string", description } as const;
const app = {
  name: "app",
  version: "1",
  description,
  options,
  positionals: { folder },
} as unknown as Program;

const find = (args: string[], env: Record<string, string> = {}, program: Program = app) =>
  findUnconfigured(program, new RecordedIo(args, env));

describe("the defaults that are known without the tables", () => {
  it("are those of the tables", async () => {
    const common = await resolveOptions({ table: standardOptions, positionals: {}, argv: [], env: {} });
    expect(COMMON_DEFAULTS).toStrictEqual(common.options);
    const table = { ...standardOptions, ...options };
    const all = await resolveOptions({ table, positionals: { folder }, argv: [], env: {} });
    expect(find([], { PATH: "/bin" })).toStrictEqual(all.options);
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(find([]))).toBe(true);
  });
});

describe("anything that is said is left to the tables", () => {
  it.each([
    [["--sse"], {}],
    [["x"], {}],
    [[], { SUITE_HTTP: "0" }],
    [[], { SUITE_AUTH_INTROSPECTION_CLIENT_SECRET_FILE: "x" }],
    [[], { APP_PATH: "" }],
    [[], { APP_TOKEN: "x" }],
    [[], { APP_TOKEN_FILE: "x" }],
  ])("%j %j", (args, env: Record<string, string>) => {
    expect(find(args, env)).toBeUndefined();
  });

  it("and so is what must be said", () => {
    const required = { path: { ...options.path, required: true } };
    expect(find([], {}, { ...app, options: required })).toBeUndefined();
  });

  it("every variable of the common options has their prefix", () => {
    const names = Object.values<OptionSpec>(standardOptions).flatMap(({ env }) => env ?? []);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !name.startsWith(COMMON_PREFIX))).toEqual([]);
  });
});
