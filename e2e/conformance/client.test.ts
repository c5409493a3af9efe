import { describe, expect, it } from "vitest";

import { runClientScenario } from "./client.ts";
import { readRequired, CONFORMANCE_REVISIONS, type ConformanceRevision } from "./requirements.ts";
import { countChecks, describeProblems } from "./totals.ts";

/** Every scenario, and how many checks it makes: fewer would prove less, so a change has to be noticed. */
const EXPECTED: readonly { revision: ConformanceRevision; scenario: string; checks: number }[] = [
  { revision: "2025-11-25", scenario: "initialize", checks: 1 },
  { revision: "2025-11-25", scenario: "tools_call", checks: 2 },
  { revision: "2025-11-25", scenario: "elicitation-sep1034-client-defaults", checks: 5 },
  { revision: "2025-11-25", scenario: "sse-retry", checks: 3 },
  { revision: "2025-11-25", scenario: "json-schema-2020-12-preservation", checks: 9 },
  { revision: "2026-07-28", scenario: "tools_call", checks: 2 },
  { revision: "2026-07-28", scenario: "request-metadata", checks: 8 },
  { revision: "2026-07-28", scenario: "sep-2322-client-request-state", checks: 5 },
  { revision: "2026-07-28", scenario: "http-standard-headers", checks: 9 },
  { revision: "2026-07-28", scenario: "http-custom-headers", checks: 18 },
  { revision: "2026-07-28", scenario: "http-invalid-tool-headers", checks: 12 },
  { revision: "2026-07-28", scenario: "json-schema-ref-no-deref", checks: 1 },
  { revision: "2026-07-28", scenario: "json-schema-2020-12-preservation", checks: 9 },
];

describe("our client against the official suite", () => {
  it.concurrent.each(EXPECTED)("$revision $scenario", async ({ scenario, revision, checks }) => {
    const run = await runClientScenario(scenario, revision);
    expect(describeProblems([{ name: scenario, isRequired: true, checks: run.checks }])).toEqual([]);
    expect(run.output).toContain("OVERALL: PASSED");
    expect(countChecks([{ name: scenario, isRequired: true, checks: run.checks }]).passed).toBe(checks);
  });

  it.each(CONFORMANCE_REVISIONS)("tries all that %s requires but authorization", (revision) => {
    const required = [...readRequired(revision, "client")].filter((name) => !name.startsWith("auth/"));
    const tried = EXPECTED.filter((expected) => expected.revision === revision);
    expect(required.length).toBeGreaterThanOrEqual(4);
    expect(tried.map(({ scenario }) => scenario)).toEqual(expect.arrayContaining(required));
  });
});
