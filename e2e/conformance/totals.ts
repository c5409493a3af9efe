import type { ConformanceCheck, ConformanceScenario } from "./suite.ts";

export interface Totals {
  readonly scenarios: number;
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
}

/** Counts the way the suite does: notes and skipped checks count for nothing. */
export function countChecks(scenarios: readonly ConformanceScenario[]): Totals {
  const count = (status: ConformanceCheck["status"]): number =>
    scenarios.flatMap(({ checks }) => checks).filter((check) => check.status === status).length;
  return {
    scenarios: scenarios.length,
    passed: count("SUCCESS"),
    failed: count("FAILURE"),
    warned: count("WARNING"),
  };
}

/** One line per check that did not succeed, for people to read. */
export const describeProblems = (scenarios: readonly ConformanceScenario[]): readonly string[] =>
  scenarios.flatMap(({ name, checks }) =>
    checks
      .filter(({ status }) => status === "FAILURE" || status === "WARNING")
      .map(
        ({ id, status, description, errorMessage }) =>
          `${status} ${name}: ${id}: ${errorMessage ?? description}`,
      ),
  );
