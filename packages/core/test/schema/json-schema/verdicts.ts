import { expect, it } from "vitest";
import { compileJsonSchema } from "../../../src/schema/json-schema/compile.ts";
import { describeIssues } from "../../../src/schema/json-schema/issue.ts";
import type { JsonSchema, Limits } from "../../../src/schema/json-schema/schema.ts";

interface Verdict {
  readonly schema: JsonSchema;
  readonly valid: readonly unknown[];
  readonly invalid: readonly unknown[];
}

export const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

export function itJudges(name: string, { schema, valid, invalid }: Verdict, limits?: Partial<Limits>): void {
  it(`judges: ${name}`, () => {
    const validate = compileJsonSchema(schema, limits);
    expect(valid.length + invalid.length).toBeGreaterThan(0);
    expect(valid.filter((value) => validate(value) !== undefined)).toEqual([]);
    expect(invalid.filter((value) => validate(value) === undefined)).toEqual([]);
  });
}

/** What a model would read; an empty text stands for a valid value. */
export function complain(schema: JsonSchema, value: unknown, limits?: Partial<Limits>): string {
  return describeIssues(compileJsonSchema(schema, limits)(value) ?? []);
}

/** Nested `{ [name]: { [name]: … } }`. */
export function nest(levels: number, name: string, innermost: unknown = {}): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = { [name]: value };
  return value;
}
