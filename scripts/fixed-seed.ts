import { readFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Property tests draw the same examples every time, so that a change is judged by itself and not by luck. `SEED=random`
 * looks for new ones.
 */
const { testPath } = expect.getState();
const isPropertyTest = testPath !== undefined && readFileSync(testPath, "utf8").includes('"fast-check"');
if (isPropertyTest && process.env["SEED"] !== "random") {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(process.env["SEED"] ?? 1) });
}
