import { readFileSync } from "node:fs";
import { join } from "node:path";

import { homeOf, NODE_22 } from "../support/installed.ts";

/** The suite's own folder. */
const SUITE = homeOf("@modelcontextprotocol/conformance");

export const SUITE_COMMAND: readonly string[] = [NODE_22, join(SUITE, "dist/index.js")];

/** The revisions that the suite has a list of required scenarios for. */
export const CONFORMANCE_REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type ConformanceRevision = (typeof CONFORMANCE_REVISIONS)[number];

/** What one side must pass to conform to a revision. Anything else that runs is for information. */
export function readRequired(
  revision: ConformanceRevision,
  side: "server" | "client" = "server",
): ReadonlySet<string> {
  const lists = readFileSync(join(SUITE, "requirements", `${revision}.yaml`), "utf8");
  const section = new RegExp(`^${side}:\\n((?: {2}- \\S+\\n)+)`, "m").exec(lists)?.[1] ?? "";
  return new Set(section.match(/[^\s-]\S*/g));
}
