import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

import { oncePerFile } from "../support/afterwards.ts";
import { homeOf } from "../support/installed.ts";
import { createPlace } from "../support/place.ts";
import { inRoot } from "../support/root.ts";
import { inSoak } from "../support/soak.ts";
import { describeOnWindows, nodeOnWindows, toWindowsPath } from "./windows.ts";

/** What unit tests need; those of `scripts` are for the machines that develop the suite. */
const PARTS = ["packages", "servers", "scripts", "package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];
const SETTINGS = ["vitest.config.ts", "tsconfig.json", "tsconfig.base.json"];
const PACKAGES = [
  ...["auth", "check", "core", "documents", "replicas", "server-kit", "tour"].map(
    (name) => `packages/${name}`,
  ),
  ...["fetch", "filesystem", "git", "github", "notes", "sqlite"].map((name) => `servers/${name}`),
];
/** Ends a change at each of hundreds of steps, and recovers it, which takes Wine longer than the test waits. */
const LEFT_OUT = "**/writing/changes/crash.test.ts";
/** For one test, and for a package: the real path of 256 levels takes Wine a second, and other tests run beside. */
const TEST_MS = 900_000;
const PACKAGE_MS = 2_400_000;
/** The version of vitest's bundler that has a binding for Windows. */
const ROLLDOWN = "1.2.19";

const CHOSEN = inSoak(PACKAGES, ["servers/notes"]);

const listFiles = (): readonly string[] =>
  execFileSync("git", ["ls-files", "-z", ...PARTS, ...SETTINGS], { cwd: inRoot("."), encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(inRoot(file)));

/** The sources, with what they import of each other as it is built, and the dependencies that Windows needs. */
const sources = oncePerFile(() => {
  const place = createPlace();
  for (const file of [...listFiles(), ...PACKAGES.map((name) => `${name}/dist`)]) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    if (existsSync(inRoot(file))) cpSync(inRoot(file), join(place, file), { recursive: true });
  }
  const workspace = join(place, "pnpm-workspace.yaml");
  const settings = readFileSync(workspace, "utf8").replace(/(?<=^ {2}rolldown: ).*$/m, ROLLDOWN);
  writeFileSync(workspace, settings.replace("  - e2e\n", ""));
  const options = ["--no-frozen-lockfile", "--prefer-offline", "--ignore-scripts", "--os=win32", "--cpu=x64"];
  // Wine shows links as what they lead to: pnpm's own layout would be a copy of everything for everyone.
  const install = ["install", ...options, "--config.node-linker=hoisted"];
  execFileSync(inRoot("node_modules/.bin/pnpm"), install, { cwd: place, stdio: "pipe" });
  // The version that has the binary for Windows in it.
  const sqlite = join(place, "node_modules/better-sqlite3");
  cpSync(homeOf("better-sqlite3-13"), sqlite, { recursive: true, dereference: true });
  return place;
});

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

describeOnWindows("on Windows' Node", () => {
  it.each(CHOSEN)("the unit tests of %s pass, or say what they need", { timeout: PACKAGE_MS }, (name) => {
    const place = sources();
    const report = join(place, `${name.replace("/", "-")}.json`);
    const args = [
      "--project=unit",
      "--reporter=json",
      `--exclude=${LEFT_OUT}`,
      `--testTimeout=${TEST_MS}`,
      `--outputFile=${toWindowsPath(report)}`,
      `${name}/`,
    ];
    const options = ["--cwd", toWindowsPath(place), "--env", "NODE_OPTIONS=--require C:\\shims.cjs"];
    const program = toWindowsPath(join(place, "node_modules/vitest/vitest.mjs"));
    const [command = "", ...rest] = nodeOnWindows([...options, program, "run", ...args]);
    const { stderr } = spawnSync(command, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    expect(existsSync(report), stderr).toBe(true);
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const named = (status: string): readonly string[] =>
      tests
        .filter((test) => test.status === status)
        .map((test) => [test.fullName, ...test.failureMessages].join("\n"));
    expect([
      ...named("failed"),
      ...testResults.flatMap(({ status, message }) => (status === "failed" ? message : [])),
    ]).toEqual([]);
    expect(named("passed").length).toBeGreaterThan(0);
    expect(
      named("skipped")
        .concat(named("pending"))
        .filter((test) => !/ \(needs [^)]+\)/.test(test)),
    ).toEqual([]);
  });
});
