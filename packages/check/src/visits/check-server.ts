import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CHECKS } from "../checks/index.ts";
import type { Check, ServerLocation } from "../checks/visit.ts";
import { ruleOf } from "../rules/rules.ts";
import { closeLater } from "../wires/leftovers.ts";
import { REVISIONS, type Revision } from "../wires/revisions.ts";
import { measureSpeed, type Speed } from "./speed.ts";
import { type Finding, type VisitOutcome, visitServer } from "./visit-server.ts";

export interface CheckOptions {
  readonly place: ServerLocation;
  /** All of them, unless told otherwise. */
  readonly revisions?: readonly Revision[];
  readonly checks?: readonly Check[];
  /** Whether tools may be called that are not said to be read-only. */
  readonly callsAll?: boolean;
  readonly measuresSpeed?: boolean;
  /** How long all of it may take. */
  readonly timeoutMs?: number;
  /** How long a single answer may take. */
  readonly patienceMs?: number;
  readonly onProgress?: (words: string) => void;
}

/** A finding, and everywhere it was met. */
export interface MetFinding extends Finding {
  readonly revisions: readonly Revision[];
}

export interface CheckReport {
  /** As the server names itself. */
  readonly server: string;
  /** Those that it speaks. */
  readonly revisions: readonly Revision[];
  readonly outcomes: readonly VisitOutcome[];
  /** Each once, the worst first. */
  readonly findings: readonly MetFinding[];
  readonly speed?: Speed;
  /** Why there was nothing to check. */
  readonly failure?: string;
}

const TIMEOUT_MS = 60_000;
const ANSWER_MS = 10_000;
const LEVELS = ["error", "warning", "note"] as const;

/** In milliseconds: who waits longer thinks that it hangs. */
const SLOW = { first: 2000, list: 100 };

/** Visits a server in one revision after the other, for as long as there is time. */
export async function checkServer(options: CheckOptions): Promise<CheckReport> {
  const { place, revisions = REVISIONS, checks = CHECKS, callsAll = false } = options;
  const { timeoutMs = TIMEOUT_MS, patienceMs = ANSWER_MS, onProgress = () => undefined } = options;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "check-")));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  closeLater(remove, "last");
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  const outcomes: VisitOutcome[] = [];
  const slow = new Set<string>();
  try {
    for (const revision of revisions) {
      onProgress(`visiting in ${revision}`);
      const transport = "url" in place ? "HTTP" : "stdio";
      const setting = async () => ({ place, folder, slow });
      const { signal } = controller;
      outcomes.push(
        await visitServer(setting, { revision, transport, callsAll, checks, patienceMs, signal }),
      );
    }
    const newest = outcomes.findLast(isSpoken)?.revision;
    if (!options.measuresSpeed || newest === undefined || controller.signal.aborted)
      return toReport(outcomes);
    onProgress("measuring");
    return toReport(outcomes, await measureSpeed(place, newest, patienceMs));
  } finally {
    clearTimeout(timer);
    remove();
  }
}

const isSpoken = ({ verdicts }: VisitOutcome): boolean => verdicts.size > 0;

export function toReport(outcomes: readonly VisitOutcome[], speed?: Speed): CheckReport {
  const spoken = outcomes.filter(isSpoken);
  const failures = outcomes.flatMap(({ failure }) => failure ?? []);
  const refusals = outcomes.flatMap(({ refusal }) => refusal ?? []);
  const nothing = ["It speaks none of these revisions", ...refusals.slice(-1)].join(": ");
  const findings = [...gather(outcomes), ...(speed ? findSlow(speed, outcomes) : [])];
  return {
    server: spoken.find(({ server }) => server !== undefined)?.server ?? "",
    revisions: [...new Set(spoken.map(({ revision }) => revision))],
    outcomes,
    findings: LEVELS.flatMap((level) => findings.filter((finding) => finding.level === level)),
    ...(speed && { speed }),
    ...(spoken.length === 0 && { failure: failures[0] ?? nothing }),
  };
}

/** Each finding once, with the revisions it was met in. */
function gather(outcomes: readonly VisitOutcome[]): readonly MetFinding[] {
  const met = new Map<string, MetFinding & { readonly revisions: Revision[] }>();
  for (const { revision, findings } of outcomes) {
    for (const finding of findings) {
      const key = `${finding.rule}\n${finding.words}`;
      const known = met.get(key) ?? { ...finding, revisions: [] };
      if (!known.revisions.includes(revision)) known.revisions.push(revision);
      met.set(key, known);
    }
  }
  return [...met.values()];
}

function findSlow(speed: Speed, outcomes: readonly VisitOutcome[]): readonly MetFinding[] {
  const revisions = outcomes
    .filter(isSpoken)
    .map(({ revision }) => revision)
    .slice(-1);
  const tell = (rule: string, words: string): MetFinding => ({
    rule,
    words,
    revisions,
    check: "speed",
    level: ruleOf(rule).level,
  });
  const { first, list } = speed;
  return [
    ...(first > SLOW.first ? [tell("speed/start", `The first answer takes more than ${SLOW.first} ms`)] : []),
    ...(list > SLOW.list ? [tell("speed/list", `The list of tools takes more than ${SLOW.list} ms`)] : []),
  ];
}
