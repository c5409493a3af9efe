import { REVISIONS, type Revision } from "../support/revisions.ts";
import { CHECKS } from "./checks/index.ts";
import type { Verdict, VisitOutcome } from "./run.ts";

const CAPABILITIES: readonly string[] = CHECKS.map(({ capability }) => capability);

const SIGNS: { readonly [verdict in Verdict]: string } = { works: "✓", fails: "✗", absent: "–" };

/** The worst of several visits; nothing where the revision is not spoken. */
function verdictOf(outcomes: readonly VisitOutcome[], capability: string): Verdict | undefined {
  const verdicts = new Set(outcomes.map(({ verdicts: all }) => all.get(capability)));
  return (["fails", "works", "absent"] as const).find((verdict) => verdicts.has(verdict));
}

const inRevision = (outcomes: readonly VisitOutcome[], revision: Revision): readonly VisitOutcome[] =>
  outcomes.filter((outcome) => outcome.revision === revision);

/** The formatter has no narrower column. */
const LEAST_WIDTH = 3;

/** As Markdown, aligned. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) =>
    Math.max(LEAST_WIDTH, ...[head, ...rows].map((row) => (row[at] ?? "").length)),
  );
  const toLine = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [toLine(head), toLine(widths.map((width) => "-".repeat(width))), ...rows.map(toLine)].join("\n");
}

/** What one server can do in which revision. */
export function renderServer(outcomes: readonly VisitOutcome[]): string {
  const visited = REVISIONS.filter((revision) => inRevision(outcomes, revision).length > 0);
  return toTable(
    ["", ...visited],
    CAPABILITIES.map((capability) => [
      capability,
      ...visited.map((revision) => {
        const verdict = verdictOf(inRevision(outcomes, revision), capability);
        return verdict === undefined ? "" : SIGNS[verdict];
      }),
    ]),
  );
}

/** In which revisions a server can do it. */
function toSpan(outcomes: readonly VisitOutcome[], capability: string): string {
  const working = REVISIONS.filter(
    (revision) => verdictOf(inRevision(outcomes, revision), capability) === "works",
  );
  if (working.length === REVISIONS.length) return "all";
  if (working.length === 0) return SIGNS.absent;
  const [first = "", last = ""] = [working[0], working.at(-1)];
  if (REVISIONS.indexOf(last as Revision) === working.length - 1) return `until ${last}`;
  const isRun = REVISIONS.slice(REVISIONS.indexOf(first as Revision)).length === working.length;
  return isRun ? `since ${first}` : working.join(", ");
}

/** What many servers can do, side by side. */
export const renderServers = (servers: ReadonlyMap<string, readonly VisitOutcome[]>): string =>
  toTable(
    ["", ...servers.keys()],
    CAPABILITIES.map((capability) => [
      capability,
      ...[...servers.values()].map((outcomes) => toSpan(outcomes, capability)),
    ]),
  );

/** Each finding once, with the revisions it was met in. */
export function renderFindings(
  outcomes: readonly VisitOutcome[],
  kind: "findings" | "advice",
): readonly string[] {
  const met = new Map<string, Set<string>>();
  for (const outcome of outcomes)
    for (const words of outcome[kind])
      met.set(words, (met.get(words) ?? new Set()).add(`${outcome.revision} ${outcome.transport}`));
  return [...met].map(([words, where]) => `${words} (${[...where].join(", ")})`);
}
