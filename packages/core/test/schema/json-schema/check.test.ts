import { describe, expect, it } from "vitest";
import { createRun, resetRun } from "../../../src/schema/json-schema/check.ts";
import { DEFAULT_VALIDATION_LIMITS } from "../../../src/schema/json-schema/schema.ts";
import { indexSchema } from "../../../src/schema/json-schema/references.ts";

describe("resetRun", () => {
  it("clears what a halted run left", () => {
    const run = resetRun(createRun(DEFAULT_VALIDATION_LIMITS), undefined);
    run.evaluated.push("name", 1);
    run.scope.push(...indexSchema({}, DEFAULT_VALIDATION_LIMITS).resources.values());
    run.levels = 5;
    run.evaluations = -1;
    expect(run.scope).toHaveLength(1);
    expect(resetRun(run, [])).toEqual({
      limits: DEFAULT_VALIDATION_LIMITS,
      issues: [],
      evaluations: DEFAULT_VALIDATION_LIMITS.evaluations,
      levels: 0,
      evaluated: [],
      scope: [],
    });
  });
});
