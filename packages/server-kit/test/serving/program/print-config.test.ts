import { expect, it } from "vitest";

import { defineOptions } from "../../../src/serving/options/option.ts";
import { resolveOptions } from "../../../src/serving/options/resolve.ts";
import { printConfig } from "../../../src/serving/program/print-config.ts";

const description = "…";
const table = defineOptions({
  path: { flag: "--path", type: "string", description },
  wait: { flag: "--wait", env: "APP_WAIT", type: "duration", default: 1000, description },
  tools: { flag: "--tools", type: "list", description },
  token: { env: "APP_TOKEN", type: "string", secret: true, description },
  other: { env: "APP_OTHER", type: "string", secret: true, description },
  help: { flag: "--help", type: "boolean", isCommand: true, description },
});
const resolution = await resolveOptions({
  table,
  positionals: {},
  argv: ["--tools", "a,b"],
  env: { APP_WAIT: "30s", APP_TOKEN: "hunter2" },
});

it("shows each setting, its value and where that came from", () => {
  expect(printConfig(table, resolution, false)).toBe(
    [
      "path   -         default",
      "wait   30s       environment variable APP_WAIT",
      "tools  a, b      flag --tools",
      "token  (hidden)  environment variable APP_TOKEN",
      "other  -         default",
      "",
    ].join("\n"),
  );
});

it("says the same as JSON", () => {
  expect(JSON.parse(printConfig(table, resolution, true))).toEqual({
    path: { value: null, origin: "default" },
    wait: { value: 30_000, origin: "environment", name: "APP_WAIT" },
    tools: { value: ["a", "b"], origin: "flag", name: "--tools" },
    token: { value: "(hidden)", origin: "environment", name: "APP_TOKEN" },
    other: { value: null, origin: "default" },
  });
});
