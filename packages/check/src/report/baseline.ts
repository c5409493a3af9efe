import { readFileSync, writeFileSync } from "node:fs";

import type { MetFinding } from "../visits/check-server.ts";

/** What is known and stays, by rule. */
interface Baseline {
  readonly [rule: string]: readonly string[];
}

/** Throws if the file is there and is no baseline. */
export function readBaseline(file: string): (finding: MetFinding) => boolean {
  const known = JSON.parse(readFileSync(file, "utf8")) as Baseline;
  return ({ rule, words }) => Array.isArray(known[rule]) && known[rule].includes(words);
}

export function writeBaseline(file: string, findings: readonly MetFinding[]): void {
  const rules = [...new Set(findings.map(({ rule }) => rule))].toSorted();
  const wordsOf = (rule: string): readonly string[] =>
    findings
      .filter((finding) => finding.rule === rule)
      .map(({ words }) => words)
      .toSorted();
  const baseline = Object.fromEntries(rules.map((rule) => [rule, wordsOf(rule)]));
  writeFileSync(file, `${JSON.stringify(baseline, undefined, 2)}\n`);
}
