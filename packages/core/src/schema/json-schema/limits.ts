export interface Limits {
  /** Subschemas in the whole document. */
  readonly subschemas: number;
  /** Subschemas inside one another. */
  readonly nesting: number;
  /** Subschema evaluations spent on one value. */
  readonly evaluations: number;
  /** Schema levels being evaluated at once, counted across `$ref`: what bounds the stack on recursive schemas. */
  readonly depth: number;
  /** Issues reported for one value. */
  readonly issues: number;
  /** 2020-12 makes `format` an annotation; elicitation needs it asserted. */
  readonly formatAssertion: boolean;
}

export const DEFAULT_VALIDATION_LIMITS: Limits = {
  subschemas: 10_000,
  nesting: 64,
  evaluations: 1_000_000,
  depth: 1_024,
  issues: 20,
  formatAssertion: false,
};
