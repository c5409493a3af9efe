import type { Revision } from "./revisions.ts";

/** One obligation of the specification, as something our server visibly does. */
export interface Requirement {
  /** Area and name in kebab case: "tools/name-unique". */
  readonly id: string;
  /** MUST NOT counts as MUST, SHOULD NOT as SHOULD. */
  readonly level: "MUST" | "SHOULD";
  /** One sentence that a test on the wire or on the process can refute. */
  readonly text: string;
  /** Where it holds, oldest first. */
  readonly revisions: readonly Revision[];
  /** Page and anchor in the newest of those revisions: "2026-07-28 server/tools#tool-names". */
  readonly source: string;
  /** Set when only an HTTP server can show it. */
  readonly transport?: "http";
}

/** An obligation that no test from outside can see kept or broken. */
export interface UnobservableRequirement extends Requirement {
  readonly reason: string;
}
