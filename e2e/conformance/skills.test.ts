import { expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { Program } from "../support/program.ts";
import { FILESYSTEM } from "../support/servers.ts";
import { CONFORMANCE_REVISIONS } from "./requirements.ts";
import { runScenarios } from "./suite.ts";
import { countChecks, describeProblems } from "./totals.ts";

const SCENARIOS = ["enumeration", "manifest", "directory"].map((part) => `sep-2640-skills-${part}`);
/** In the older revision, the two about caching are not applicable. */
const CHECKS = { "2025-11-25": 43, "2026-07-28": 45 };

it.each(CONFORMANCE_REVISIONS)(
  "the official suite finds nothing wrong with skills in %s",
  async (revision) => {
    const url = await new Program([...FILESYSTEM, "--http", "0", createPlace()]).url();
    const scenarios = await runScenarios(url, revision, SCENARIOS);
    expect(describeProblems(scenarios)).toEqual([]);
    expect(countChecks(scenarios)).toMatchObject({ scenarios: 3, failed: 0, passed: CHECKS[revision] });
  },
);
