import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { needs } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

const ENDS = process.platform === "win32" ? [".exe", ".cmd"] : [""];

/** What else it may be called. Debian's headless shell is Chromium without its windows, and takes half the time. */
const NAMES: { readonly [program: string]: readonly string[] } = {
  chromium: ["chromium-headless-shell", "chromium"],
};

/** Where it is, or nothing. */
export function pathOf(program: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return (
    (NAMES[program] ?? [program])
      .flatMap((name) => folders.flatMap((folder) => ENDS.map((end) => join(folder, `${name}${end}`))))
      .find(canRun) ?? ""
  );
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Tests that need programs which npm cannot bring. Where one is missing they count as not run, and say what gets it. */
export function describeWith(
  programs: readonly string[],
  name: string,
  tests: () => void,
  how = "node scripts/services.mjs",
): void {
  const missing = programs.filter((program) => pathOf(program) === "");
  const reason = missing.length > 0 ? ` (needs ${missing.join(", ")}: ${how})` : "";
  describe.skipIf(missing.length > 0)(`${name}${reason}`, () => {
    tests();
  });
}

type It = (name: string, test: () => unknown, timeoutMs?: number) => void;

const asserting =
  (add: It): It =>
  (name, test, timeoutMs) => {
    add(
      name,
      async () => {
        expect.hasAssertions();
        await test();
      },
      timeoutMs,
    );
  };

/** Tests that use what only Linux has, such as `/proc` and mounts of one's own. Elsewhere they count as not run, and say so. */
export const describeOnLinux: typeof describe = needs(describe, "Linux");
export const itOnLinux: It = asserting(needs(it, "Linux"));

/** Tests that use what Windows does not have: scripts with a `#!`, permissions, signals that can be caught, named pipes. */
export const describeOnUnix: typeof describe = needs(describe, "Linux or macOS");
export const itOnUnix: It = asserting(needs(it, "Linux or macOS"));

/** That a program hears. On Windows it is ended at once. */
export const SIGNALS: readonly ("SIGTERM" | "SIGINT")[] =
  process.platform === "win32" ? [] : ["SIGTERM", "SIGINT"];
