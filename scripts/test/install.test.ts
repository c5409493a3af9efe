import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { findHeaders, listMissingBindings, planInstall, TOUR } from "../install.mjs";
import { writeTree } from "./tree.ts";

const lockFile = readFileSync(new URL("../../pnpm-lock.yaml", import.meta.url), "utf8");
const linux = { os: "linux", cpu: "x64", libc: "glibc" } as const;
const mac = { os: "darwin", cpu: "arm64" };
const versionHeader = `#define NODE_MAJOR_VERSION 20\n#define NODE_MINOR_VERSION 19\n#define NODE_PATCH_VERSION 5\n`;

it("knows the tools whose bindings the lock file has for a platform, and those it lacks", () => {
  expect(listMissingBindings(lockFile, linux)).toEqual([]);
  expect(listMissingBindings(lockFile, { ...linux, cpu: "mips" })).toContain("@rolldown/binding-");
  const withoutTurbo = lockFile.replaceAll(/^ {2}'@turbo\/.+\n(?: {4}.+\n)+/gm, "");
  expect(listMissingBindings(withoutTurbo, linux)).toEqual(["@turbo/"]);
  const forMac = withoutTurbo.replace(
    "packages:\n",
    "packages:\n\n  '@turbo/darwin-arm64@2.0.0':\n    resolution: {integrity: x}\n    cpu: [arm64]\n    os: [darwin]\n",
  );
  expect(listMissingBindings(forMac, mac)).not.toContain("@turbo/");
  expect(listMissingBindings(forMac, linux)).toEqual(["@turbo/"]);
});

it("takes Node's headers from beside the program, if they are of its version", () => {
  const root = writeTree({ "include/node/node_version.h": versionHeader });
  expect(findHeaders(`${root}/bin/node`, "v20.19.5")).toBe(root);
  expect(findHeaders(`${root}/bin/node`, "v22.19.5")).toBeUndefined();
  expect(findHeaders(`${root}/lib/bin/node`, "v20.19.5")).toBeUndefined();
});

it("installs with npx until the workspace has a pnpm that runs", () => {
  const fresh = writeTree({ "pnpm-lock.yaml": lockFile });
  const brokenOff = writeTree({ "pnpm-lock.yaml": lockFile, "node_modules/pnpm/package.json": "{}" });
  const installed = writeTree({ "pnpm-lock.yaml": lockFile, "node_modules/.bin/pnpm": "" });
  const toProgram = (root: string) =>
    planInstall(root, "pnpm@1.2.3", undefined, linux).command.join(" ").split(" install ")[0];
  expect(toProgram(fresh)).toBe("npx --yes --prefix scripts pnpm@1.2.3");
  expect(toProgram(brokenOff)).toBe("npx --yes --prefix scripts pnpm@1.2.3");
  expect(toProgram(installed)).toBe("pnpm");
});

it("resolves again for a platform that the lock file lacks, with the headers that there are", () => {
  vi.stubEnv("npm_config_nodedir", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = writeTree({ "pnpm-lock.yaml": lockFile });
  const plan = planInstall(root, "pnpm@1.2.3", TOUR, { os: "win32", cpu: "arm64" }, "/opt/node");
  expect(plan.missing).toContain("@turbo/");
  expect(plan.command).toContain("--fix-lockfile");
  expect(plan.command.join(" ")).toContain(" --ignore-scripts --filter @suite/tour... ");
  expect(plan.finish).toContain("--config.nodedir=/opt/node");
  expect(plan.advice).toContain("/opt/node/include/node");
  const whole = planInstall(root, "pnpm@1.2.3", undefined, linux).command.join(" ");
  expect(whole).toMatch(/ --(?:no-)?frozen-lockfile /);
  expect(whole).not.toContain("--filter");
});
