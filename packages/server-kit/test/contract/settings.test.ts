import { expect, it } from "vitest";

import { defaultContract } from "../../src/contract/settings.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import { standardOptions } from "../../src/options/standard-options.ts";

it("the contract of tests is the one of a server that is told nothing", async () => {
  const { options } = await resolveOptions({ table: standardOptions, positionals: {}, argv: [], env: {} });
  const { readOnly, tools, excludeTools, timeout, maxTimeout, confirm, auditLog } = options;
  const { maxResult, results, requestStateSecret } = options;
  expect(defaultContract).toMatchObject({
    readOnly,
    tools,
    excludeTools,
    timeoutMs: timeout,
    maxTimeoutMs: maxTimeout,
    confirm,
    maxResult,
    results,
    requestStateSecret,
    audit: auditLog,
    checks: [],
  });
  expect(defaultContract.redact({ a: 1 })).toEqual({ a: 1 });
  expect(defaultContract.report(new Error("nobody hears this"))).toBeUndefined();
});
