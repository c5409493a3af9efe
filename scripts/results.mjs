import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ status: string; assertionResults: { status: string }[] }} FileResult
 * @typedef {{ testResults: FileResult[] }} VitestReport as written by vitest's json reporter
 */

/**
 * The last line of `npm test`. A red run never says "0 failed": a step that broke without a failing test, and a
 * test file that broke before its first test, count as one failure each.
 * @param {string} folder holds one report per vitest run, `<step>.json`
 * @param {string[]} failedSteps
 */
export function toClosingLine(folder, failedSteps) {
  const counts = new Map(["unit", "e2e"].map((step) => [step, countTests(join(folder, `${step}.json`))]));
  const passed = [...counts.values()].reduce((sum, count) => sum + count.passed, 0);
  const failed = failedSteps.reduce((sum, step) => sum + Math.max(1, counts.get(step)?.failed ?? 0), 0);
  return `${passed} passed, ${failed} failed`;
}

/** @param {string} reportFile */
function countTests(reportFile) {
  if (!existsSync(reportFile)) return { passed: 0, failed: 0 };
  /** @type {VitestReport} */
  const report = JSON.parse(readFileSync(reportFile, "utf8"));
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const failedTests = tests.filter((test) => test.status === "failed").length;
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  return {
    passed: tests.filter((test) => test.status === "passed").length,
    failed: failedTests + brokenFiles,
  };
}
