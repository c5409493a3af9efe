import type { Check } from "../checks/visit.ts";
import type { Verdict, VisitOutcome } from "../visits/visit-server.ts";
import { REVISIONS, type Revision } from "../wires/revisions.ts";

const SIGNS: { readonly [verdict in Verdict]: string } = { works: "✓", fails: "✗", absent: "–" };

/** The worst of several visits; nothing where the revision is not spoken. */
function verdictOf(outcomes: readonly VisitOutcome[], check: string): Verdict | undefined {
  const verdicts = new Set(outcomes.map(({ verdicts: all }) => all.get(check)));
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

/** How one server did in which revision. */
export function renderServer(outcomes: readonly VisitOutcome[], checks: readonly Check[]): string {
  const visited = REVISIONS.filter((revision) =>
    inRevision(outcomes, revision).some(({ verdicts }) => verdicts.size > 0),
  );
  return toTable(
    ["", ...visited],
    checks.map(({ name }) => [
      name,
      ...visited.map((revision) => {
        const verdict = verdictOf(inRevision(outcomes, revision), name);
        return verdict === undefined ? "" : SIGNS[verdict];
      }),
    ]),
  );
}

/** In which revisions a server passes it. */
function toSpan(outcomes: readonly VisitOutcome[], check: string): string {
  const working = REVISIONS.filter(
    (revision) => verdictOf(inRevision(outcomes, revision), check) === "works",
  );
  if (working.length === REVISIONS.length) return "all";
  if (working.length === 0) return SIGNS.absent;
  const [first = "", last = ""] = [working[0], working.at(-1)];
  if (REVISIONS.indexOf(last as Revision) === working.length - 1) return `until ${last}`;
  const isRun = REVISIONS.slice(REVISIONS.indexOf(first as Revision)).length === working.length;
  return isRun ? `since ${first}` : working.join(", ");
}

/** What many servers can do, side by side. */
export const renderServers = (
  servers: ReadonlyMap<string, readonly VisitOutcome[]>,
  checks: readonly Check[],
): string =>
  toTable(
    ["", ...servers.keys()],
    checks.map(({ name }) => [name, ...[...servers.values()].map((outcomes) => toSpan(outcomes, name))]),
  );
