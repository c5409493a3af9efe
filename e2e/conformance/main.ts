import { startFixture } from "./fixture-process.ts";
import { CONFORMANCE_REVISIONS, type ConformanceRevision } from "./requirements.ts";
import { type ConformanceScenario, runSuite } from "./suite.ts";
import { countChecks, describeProblems } from "./totals.ts";

/** Runs the official conformance suite, revision by revision, and says how it went: against the core, or whoever answers at a URL. */
async function main([url]: readonly string[]): Promise<number> {
  const fixture =
    url === undefined ? await startFixture(new URL("fixture/main.js", import.meta.url)) : undefined;
  let failed = 0;
  try {
    for (const revision of CONFORMANCE_REVISIONS) failed += await judge(url ?? fixture?.url ?? "", revision);
  } finally {
    await fixture?.stop();
  }
  return failed === 0 ? 0 : 1;
}

/** The number of failed checks that conformance depends on. */
async function judge(url: string, revision: ConformanceRevision): Promise<number> {
  const scenarios = await runSuite(url, revision);
  const required = scenarios.filter(({ isRequired }) => isRequired);
  process.stdout.write(`\n${revision}\n`);
  for (const line of describeProblems(scenarios)) process.stdout.write(`  ${line}\n`);
  report("required", required);
  report(
    "for information",
    scenarios.filter(({ isRequired }) => !isRequired),
  );
  return countChecks(required).failed;
}

function report(label: string, scenarios: readonly ConformanceScenario[]): void {
  const { passed, failed, warned } = countChecks(scenarios);
  process.stdout.write(
    `  ${label}: ${scenarios.length} scenarios, ${passed} passed, ${failed} failed, ${warned} warned\n`,
  );
}

process.exitCode = await main(process.argv.slice(2));
