import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { describe, expect, it } from "vitest";

const ENDS = process.platform === "win32" ? [".exe", ".cmd"] : [""];

/** Where it is, or nothing. */
export const pathOf = (program: string): string =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => ENDS.map((end) => join(folder, `${program}${end}`)))
    .find(canRun) ?? "";

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

const isLinux = process.platform === "linux";
/** Programs that are scripts with a `#!`, permissions, signals that can be caught, named pipes. */
const isUnix = process.platform !== "win32";
const LINUX = "Linux";
const UNIX = "Linux or macOS";

type Describe = (name: string, tests: () => void) => void;
type It = (name: string, test: () => unknown, timeoutMs?: number) => void;

const describeOn =
  (isHere: boolean, system: string): Describe =>
  (name, tests) => {
    describe.skipIf(!isHere)(`${name}${isHere ? "" : ` (needs ${system})`}`, () => {
      tests();
    });
  };

const itOn =
  (isHere: boolean, system: string): It =>
  (name, test, timeoutMs) => {
    it.skipIf(!isHere)(
      `${name}${isHere ? "" : ` (needs ${system})`}`,
      async () => {
        expect.hasAssertions();
        await test();
      },
      timeoutMs,
    );
  };

/** Tests that use what only Linux has, such as `/proc` and mounts of one's own. Elsewhere they count as not run, and say so. */
export const describeOnLinux: Describe = describeOn(isLinux, LINUX);
export const itOnLinux: It = itOn(isLinux, LINUX);

/** Tests that use what Windows does not have. */
export const describeOnUnix: Describe = describeOn(isUnix, UNIX);
export const itOnUnix: It = itOn(isUnix, UNIX);

/** That a program hears. On Windows it is ended at once. */
export const SIGNALS: readonly ("SIGTERM" | "SIGINT")[] = isUnix ? ["SIGTERM", "SIGINT"] : [];
