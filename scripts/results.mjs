import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ status: string; fullName: string; failureMessages: string[]; meta?: { table?: string } }} TestResult
 * @typedef {{ name: string; status: string; message: string; assertionResults: TestResult[] }} FileResult
 * @typedef {{ testResults: FileResult[] }} VitestReport as written by vitest's json reporter
 */

const RUNS = ["unit", "e2e", "soak"];

/**
 * The last line of `npm test`. A failed run never says "0 failed": a step that fails without a failing test, and a
 * test file that fails before its first test, count as one failure each.
 * @param {string} folder holds one report per vitest run, `<step>.json`
 * @param {string[]} failedSteps
 */
export function toClosingLine(folder, failedSteps) {
  const files = new Map(RUNS.map((step) => [step, readReport(folder, step)]));
  const passed = [...files.values()].flat().flatMap((file) => file.assertionResults.filter(hasPassed)).length;
  const failed = failedSteps.reduce(
    (sum, step) => sum + Math.max(1, toFailures(files.get(step) ?? []).length),
    0,
  );
  const notRun = listNotRun(folder).length;
  return `${passed} passed, ${failed} failed${notRun > 0 ? `, ${notRun} not run` : ""}`;
}

/**
 * Tests that could not run here. Their names say what is missing, and how to get it.
 * @param {string} folder
 * @returns {string[]}
 */
export function listNotRun(folder) {
  return RUNS.flatMap((step) =>
    readReport(folder, step).flatMap(({ name, assertionResults }) =>
      assertionResults.filter(isNotRun).map((test) => `${name} > ${test.fullName}`),
    ),
  );
}

/**
 * What failed, with its message: repeated at the end, for readers who only have the end of a long output.
 * @param {string} folder
 * @returns {string[]}
 */
export function listFailures(folder) {
  return RUNS.flatMap((step) => toFailures(readReport(folder, step)));
}

/**
 * Tables that tests have made for people to read.
 * @param {string} folder
 * @returns {string[]}
 */
export function listTables(folder) {
  return RUNS.flatMap((step) =>
    readReport(folder, step).flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ meta }) => meta?.table ?? []),
    ),
  );
}

/** @param {FileResult[]} files */
const toFailures = (files) =>
  files
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === "failed");
      if (failed.length === 0) return [`${name}\n${message}`];
      return failed.map((test) => `${name} > ${test.fullName}\n${test.failureMessages.join("\n")}`);
    });

/** @param {TestResult} test */
const hasPassed = ({ status }) => status === "passed";

/** @param {TestResult} test */
const isNotRun = ({ status }) => status === "skipped" || status === "pending";

/**
 * @param {string} folder
 * @param {string} step
 * @returns {FileResult[]}
 */
function readReport(folder, step) {
  const file = join(folder, `${step}.json`);
  if (!existsSync(file)) return [];
  /** @type {VitestReport} */
  const report = JSON.parse(readFileSync(file, "utf8"));
  return report.testResults;
}
