import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, vi } from "vitest";

import { homeOf } from "../support/installed.ts";
import { createPlace } from "../support/place.ts";
import { inRoot } from "../support/root.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

export type WindowsServer = "notes" | "filesystem" | "sqlite" | "git" | "fetch" | "github";

const STDIO = inRoot("scripts/windows/stdio.mjs");

/** Where that Windows is; without `nodes` there is none. */
const place = JSON.parse(execFileSync(process.execPath, [STDIO, "--where"], { encoding: "utf8" })) as {
  readonly home: string;
  readonly driveC: string;
  readonly nodes?: readonly string[];
  readonly git?: string;
};
export const driveC: string = place.driveC;
export const toWindowsPath = (path: string): string => `C:${path.slice(driveC.length).replaceAll("/", "\\")}`;

/** Tests on Windows. Where there is none they count as not run, and say what gets it. */
export function describeOnWindows(name: string, tests: () => void): void {
  const missing = place.nodes ? "" : " (needs a Windows: npm run windows makes one)";
  describe.skipIf(missing !== "")(`${name}${missing}`, () => {
    beforeAll(() => {
      // Places of tests are then on the drive C.
      const temporary = join(driveC, "tmp");
      mkdirSync(temporary, { recursive: true });
      vi.stubEnv("TMPDIR", temporary);
    });
    afterAll(() => void vi.unstubAllEnvs());
    tests();
  });
}

/** Puts a built server on the drive C, and gives the command line that starts it there. */
export function commandOnWindows(server: WindowsServer, options: readonly string[] = []): readonly string[] {
  // Of its own: test files run side by side.
  const home = join(createPlace(), server);
  cpSync(inRoot(`servers/${server}/dist`), join(home, "dist"), { recursive: true });
  cpSync(inRoot(`servers/${server}/package.json`), join(home, "package.json"));
  // The version that has the binary for Windows in it.
  if (server === "sqlite")
    cpSync(homeOf("better-sqlite3-13"), join(home, "node_modules/better-sqlite3"), {
      recursive: true,
      dereference: true,
    });
  if (server === "filesystem") addDocuments(home);
  return nodeOnWindows([...options, toWindowsPath(join(home, "dist/main.js"))]);
}

/** Not every client passes its environment on. */
export const nodeOnWindows = (words: readonly string[]): readonly string[] => [
  "env",
  `SUITE_WINDOWS=${place.home}`,
  process.execPath,
  STDIO,
  ...words,
];

/** What reads documents, with the packages that it depends on. */
function addDocuments(home: string): void {
  const from = realpathSync(homeOf("@suite/documents"));
  const to = join(home, "node_modules/@suite/documents");
  for (const part of ["package.json", "dist", "node_modules/sax", "node_modules/unpdf"])
    cpSync(realpathSync(join(from, part)), join(to, part), { recursive: true });
}

/** A folder under both its names. */
export function createWindowsPlace(): { readonly here: string; readonly there: string } {
  const here = createPlace();
  return { here, there: toWindowsPath(here) };
}

/** On a busy machine, a merge that starts twenty programs in Wine takes longer than a call may. */
const PATIENCE_MS = 600_000;

export const openOnWindows = (command: readonly string[], options: WireOptions = {}): Promise<Wire> =>
  Wire.open(command, {
    revision: "2026-07-28",
    timeoutMs: PATIENCE_MS,
    env: { SUITE_TIMEOUT: "10m" },
    ...options,
  });
