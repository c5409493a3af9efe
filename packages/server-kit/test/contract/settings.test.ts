import { expect, it } from "vitest";

import { defaultContract } from "../../src/contract/settings.ts";
import { COMMON_DEFAULTS } from "../../src/program/unconfigured.ts";

it("the contract of tests is the one of a server that is told nothing", () => {
  const { readOnly, tools, excludeTools, timeout, maxTimeout, confirm, auditLog } = COMMON_DEFAULTS;
  expect(defaultContract).toMatchObject({
    readOnly,
    tools,
    excludeTools,
    timeoutMs: timeout,
    maxTimeoutMs: maxTimeout,
    confirm,
    audit: auditLog,
    checks: [],
  });
  expect(defaultContract.redact({ a: 1 })).toEqual({ a: 1 });
  expect(defaultContract.report(new Error("nobody hears this"))).toBeUndefined();
});
