import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startFixture, type FixtureProcess } from "./fixture-process.ts";
import { type ConformanceRevision, readRequired } from "./requirements.ts";
import { type ConformanceScenario, runSuite } from "./suite.ts";
import { countChecks, describeProblems } from "./totals.ts";

interface Size {
  readonly scenarios: number;
  readonly checks: number;
}

/** How much the suite checks: less of it would prove less, so a change has to be noticed. */
const EXPECTED: readonly { revision: ConformanceRevision; required: Size; others: Size }[] = [
  {
    revision: "2025-11-25",
    required: { scenarios: 30, checks: 69 },
    others: { scenarios: 3, checks: 14 },
  },
  {
    revision: "2026-07-28",
    required: { scenarios: 37, checks: 120 },
    others: { scenarios: 13, checks: 76 },
  },
];

const sizeOf = (scenarios: readonly ConformanceScenario[]): Size => ({
  scenarios: scenarios.length,
  checks: countChecks(scenarios).passed,
});

describe.each(EXPECTED)("the official suite for $revision", ({ revision, required, others }) => {
  let fixture: FixtureProcess;
  let scenarios: readonly ConformanceScenario[] = [];

  beforeAll(async () => {
    fixture = await startFixture(new URL("../dist/conformance/fixture/main.js", import.meta.url));
    scenarios = await runSuite(fixture.url, revision);
  });

  afterAll(() => fixture.stop());

  it("finds nothing wrong where conformance depends on it", () => {
    const judged = scenarios.filter(({ isRequired }) => isRequired);
    expect(describeProblems(judged)).toEqual([]);
    expect(judged.map(({ name }) => name).toSorted()).toEqual([...readRequired(revision)].toSorted());
    expect(sizeOf(judged)).toEqual(required);
  });

  it("finds nothing wrong in what it tries besides", () => {
    const tried = scenarios.filter(({ isRequired }) => !isRequired);
    expect(describeProblems(tried)).toEqual([]);
    expect(sizeOf(tried)).toEqual(others);
  });

  it("sees no message that the revision's schema forbids", () => {
    const findings = scenarios.flatMap(({ checks }) =>
      checks.filter(({ id }) => id.startsWith("wire-schema-")),
    );
    expect(findings.filter(({ status }) => status !== "SUCCESS")).toEqual([]);
    expect(findings.length).toBeGreaterThan(scenarios.length / 2);
  });
});
