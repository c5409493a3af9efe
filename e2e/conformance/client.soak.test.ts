import { describe, expect, it } from "vitest";

import { inSoak } from "../support/soak.ts";
import { type ClientRevision, runClientScenario } from "./client.ts";
import { readRequired, CONFORMANCE_REVISIONS } from "./requirements.ts";
import { countChecks, describeProblems } from "./totals.ts";

/** Every scenario, and how many checks it makes: fewer would prove less, so a change has to be noticed. */
const EXPECTED: { readonly [revision in ClientRevision]: { readonly [scenario: string]: number } } = {
  "2025-03-26": {
    "auth/2025-03-26-oauth-metadata-backcompat": 12,
    "auth/2025-03-26-oauth-endpoint-fallback": 7,
  },
  "2025-11-25": {
    initialize: 1,
    tools_call: 2,
    "elicitation-sep1034-client-defaults": 5,
    "sse-retry": 3,
    "json-schema-2020-12-preservation": 9,
    "auth/metadata-default": 18,
    "auth/metadata-var1": 18,
    "auth/metadata-var2": 18,
    "auth/metadata-var3": 18,
    "auth/basic-cimd": 13,
    "auth/scope-from-www-authenticate": 14,
    "auth/scope-from-scopes-supported": 14,
    "auth/scope-omitted-when-undefined": 14,
    "auth/scope-step-up": 22,
    "auth/scope-retry-limit": 10,
    "auth/token-endpoint-auth-basic": 19,
    "auth/token-endpoint-auth-post": 19,
    "auth/token-endpoint-auth-none": 19,
    "auth/pre-registration": 13,
  },
  "2026-07-28": {
    tools_call: 2,
    "request-metadata": 8,
    "sep-2322-client-request-state": 5,
    "http-standard-headers": 9,
    "http-custom-headers": 18,
    "http-invalid-tool-headers": 12,
    "json-schema-ref-no-deref": 1,
    "json-schema-2020-12-preservation": 9,
    "auth/metadata-default": 18,
    "auth/metadata-var1": 18,
    "auth/metadata-var2": 18,
    "auth/metadata-var3": 18,
    "auth/basic-cimd": 12,
    "auth/scope-from-www-authenticate": 14,
    "auth/scope-from-scopes-supported": 14,
    "auth/scope-omitted-when-undefined": 14,
    "auth/scope-step-up": 25,
    "auth/scope-retry-limit": 11,
    "auth/token-endpoint-auth-basic": 19,
    "auth/token-endpoint-auth-post": 19,
    "auth/token-endpoint-auth-none": 19,
    "auth/pre-registration": 12,
    "auth/resource-mismatch": 2,
    "auth/offline-access-scope": 12,
    "auth/offline-access-not-supported": 14,
    "auth/authorization-server-migration": 27,
    "auth/iss-supported": 14,
    "auth/iss-not-advertised": 14,
    "auth/iss-supported-missing": 8,
    "auth/iss-wrong-issuer": 8,
    "auth/iss-unexpected": 8,
    "auth/iss-normalized": 8,
    "auth/metadata-issuer-mismatch": 3,
    "auth/client-credentials-jwt": 7,
    "auth/client-credentials-basic": 7,
    "auth/dpop": 13,
    "auth/dpop-nonce": 15,
    "auth/wif-jwt-bearer": 6,
    "auth/enterprise-managed-authorization": 8,
  },
};

const ALL = Object.entries(EXPECTED).flatMap(([revision, scenarios]) =>
  Object.entries(scenarios).map(([scenario, checks]) => ({
    revision: revision as ClientRevision,
    scenario,
    checks,
  })),
);
/** One of each kind: each starts two processes. */
const ENOUGH = new Set([
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-2020-12-preservation",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/metadata-var3",
  "auth/scope-step-up",
  "auth/authorization-server-migration",
  "auth/client-credentials-jwt",
  "auth/dpop-nonce",
  "auth/wif-jwt-bearer",
  "auth/enterprise-managed-authorization",
]);
/** In `npm test` in the newest revision that has it. */
const RUNS = inSoak(
  ALL,
  ALL.filter(
    (run) => ENOUGH.has(run.scenario) && ALL.findLast(({ scenario }) => scenario === run.scenario) === run,
  ),
);

describe("our client against the official suite", () => {
  it.concurrent.each(RUNS)("$revision $scenario", async ({ scenario, revision, checks }) => {
    const run = await runClientScenario(scenario, revision);
    expect(describeProblems([{ name: scenario, isRequired: true, checks: run.checks }])).toEqual([]);
    expect(run.output).toContain("OVERALL: PASSED");
    expect(countChecks([{ name: scenario, isRequired: true, checks: run.checks }]).passed).toBe(checks);
  });

  it.each(CONFORMANCE_REVISIONS)("tries all that %s requires", (revision) => {
    const required = [...readRequired(revision, "client")];
    expect(required.length).toBeGreaterThanOrEqual(18);
    expect(Object.keys(EXPECTED[revision])).toEqual(expect.arrayContaining(required));
  });
});
