import { spawnSync } from "node:child_process";

import { describe } from "vitest";

/** Where it is, or nothing. */
export const pathOf = (program: string): string =>
  spawnSync("sh", ["-c", 'command -v "$0"', program], { encoding: "utf8" }).stdout.trim();

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

/** Tests that use what only Linux has, such as mounts of one's own. Elsewhere they count as not run, and say so. */
export function describeOnLinux(name: string, tests: () => void): void {
  const isHere = process.platform === "linux";
  describe.skipIf(!isHere)(`${name}${isHere ? "" : " (needs Linux)"}`, () => {
    tests();
  });
}
