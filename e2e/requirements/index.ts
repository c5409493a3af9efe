import { readFileSync } from "node:fs";

import { type Revision, REVISIONS } from "@suite/check/wires";

/** One obligation of the specification, as something our server visibly does. */
export interface Requirement {
  /** Area and name in kebab case: "tools/name-unique". */
  readonly id: string;
  /** MUST NOT counts as MUST, SHOULD NOT as SHOULD. */
  readonly level: "MUST" | "SHOULD";
  /** Where it holds, oldest first. */
  readonly revisions: readonly Revision[];
  /** Page and anchor in the newest of those revisions: "server/tools#tool-names". */
  readonly source: string;
  /** One sentence that a test on the wire or on the process can refute. */
  readonly text: string;
  /** Why nothing tests it. */
  readonly reason?: string | undefined;
}

const REVISION = `(?:${REVISIONS.join("|")})`;
const RANGE = `all|(?:since |until |${REVISION} to )?${REVISION}`;
const ENTRY = new RegExp(
  `^- \`(?<id>\\S+)\` \\((?<level>MUST|SHOULD), (?<range>${RANGE}), (?<source>\\S+)\\):\n  (?<text>.+)(?:\n  (?<reason>.+))?$`,
);

/** A list below headings. What is neither is a mistake. */
function readRequirements(file: string): readonly Requirement[] {
  const parts = readFileSync(new URL(file, import.meta.url), "utf8")
    .trimEnd()
    .split(/\n\n|\n(?=- )/);
  return parts.filter((part) => !part.startsWith("#")).map((part) => toRequirement(part, file));
}

function toRequirement(entry: string, file: string): Requirement {
  const { id = "", level, range = "", source = "", text = "", reason } = ENTRY.exec(entry)?.groups ?? {};
  if (level === undefined) throw new Error(`${file}: ${entry}`);
  return { id, level: level as Requirement["level"], revisions: revisionsIn(range), source, text, reason };
}

function revisionsIn(range: string): readonly Revision[] {
  const [first = "", last = first] = REVISIONS.filter((revision) => range.includes(revision));
  const hasStart = !/^(?:all|until)/.test(range);
  const hasEnd = !/^(?:all|since)/.test(range);
  return REVISIONS.filter((revision) => (!hasStart || revision >= first) && (!hasEnd || revision <= last));
}

/** Everything a test can check over stdio. */
export const requirements: readonly Requirement[] = readRequirements("over-stdio.md");

/** What only a server behind HTTP can show. */
export const httpRequirements: readonly Requirement[] = readRequirements("over-http.md");

/** Obligations that no test from outside can see kept or broken. Kept for completeness: nothing tests these. */
export const unobservable: readonly Requirement[] = readRequirements("unobservable.md");

/** Recommendations that our servers do not follow. */
export const declined: readonly Requirement[] = readRequirements("declined.md");

/** Where all the cited ones hold. */
export function revisionsOf(
  known: readonly Requirement[],
  ids: readonly string[],
): readonly [Revision, ...Revision[]] {
  const cited = ids.map((id) => {
    const requirement = known.find((candidate) => candidate.id === id);
    if (!requirement) throw new Error(`There is no requirement ${id}`);
    return requirement;
  });
  const [oldest, ...newer] = REVISIONS.filter((revision) =>
    cited.every(({ revisions }) => revisions.includes(revision)),
  );
  if (oldest === undefined) throw new Error(`No revision has all of ${ids.join(", ")}`);
  return [oldest, ...newer];
}
