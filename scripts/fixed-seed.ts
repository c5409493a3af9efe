import { readFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Property tests use the same examples every time, so that a failure is due to the change and not to chance. `SEED=random`
 * draws new ones.
 */
const { testPath } = expect.getState();
const isPropertyTest = testPath !== undefined && readFileSync(testPath, "utf8").includes('"fast-check"');
if (isPropertyTest && process.env["SEED"] !== "random") {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(process.env["SEED"] ?? 1) });
}
