import { readFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Property tests use the same examples every time, so that a failure is due to the change and not to chance. `SEED=random`
 * draws new ones, and so does `npm run soak`. A failure prints the seed to repeat it with.
 */
const seed = process.env["SEED"] ?? (process.env["SUITE_SOAK"] === "1" ? "random" : "1");
const { testPath } = expect.getState();
const isPropertyTest = testPath !== undefined && readFileSync(testPath, "utf8").includes('"fast-check"');
if (isPropertyTest && seed !== "random") {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
