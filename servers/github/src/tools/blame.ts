import { Fault } from "@suite/server-kit/domain";

import type { Api } from "../domain/api.ts";
import { toPlainPath } from "../domain/contents.ts";
import { BLAME } from "../domain/gateway/documents.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { project, readPath, toFields, toList, toText } from "../domain/answers/projection.ts";
import { fromVersionedCursor, toVersionedCursor } from "../domain/versioned-cursor.ts";
import { originOf, requireOwnHistory } from "./origins.ts";
import { fields } from "./projections.ts";
import { fitPage } from "./reading.ts";

interface Wanted {
  readonly path: string;
  readonly ref: string | undefined;
  readonly start: number;
  readonly end: number | undefined;
  readonly cursor: string | undefined;
}

/** Of the commit that changed a range last; the pull request is the one that it came with. */
const CHANGE = fields(
  "sha=oid date=committedDate author=author.name login=author.user.login message=messageHeadline",
);

/** GitHub gives the ranges of a whole file at once. */
export async function readBlame(
  api: Api,
  repo: Repo,
  { path: given, ref = "HEAD", start, end, cursor }: Wanted,
  budget: number,
): Promise<{ path: string; total_lines: number; items: Record<string, unknown>[]; next_cursor?: string }> {
  const path = toPlainPath(given);
  if (path === "") throw new Fault("invalid_input", "blame is for a file: give its path.");
  await requireOwnHistory(api, repo, ref);
  const variables = { ...repo, expression: ref, path };
  const data = await api.graphql({ document: BLAME, variables, repo, ...originOf(ref) });
  const object = toFields(readPath(data, "repository.object"));
  const { oid, blame } = "target" in object ? toFields(object["target"]) : object;
  if (oid === undefined)
    throw new Fault("not_found", `There is no branch, tag or commit ${ref} in ${nameOf(repo)}.`, {
      hint: "list_branches and list_tags have their names.",
    });
  const ranges = toList(toFields(blame)["ranges"]).map(toFields);
  const lines = Math.max(0, ...ranges.map(({ endingLine }) => Number(endingLine)));
  if (start > lines)
    throw new Fault(
      "not_found",
      `${path} has ${lines === 0 ? "no lines, or is not there" : `${lines} lines`}.`,
    );
  const all = ranges
    .filter(
      ({ startingLine, endingLine }) => Number(endingLine) >= start && Number(startingLine) <= (end ?? lines),
    )
    .map(({ startingLine, endingLine, commit }) => {
      const pull = readPath(toList(readPath(commit, "associatedPullRequests.nodes"))[0], "number");
      return {
        lines:
          startingLine === endingLine
            ? String(startingLine)
            : `${String(startingLine)}-${String(endingLine)}`,
        ...project(commit, CHANGE),
        ...(pull !== undefined && { pull_request: pull }),
      };
    });
  const about = ["blame", nameOf(repo), path, ref, start, end ?? null];
  const [at] = fromVersionedCursor(cursor, about, toText(oid), [0] as const);
  const { items } = fitPage(all.slice(at), budget);
  const next = at + items.length;
  return {
    path,
    total_lines: lines,
    items,
    ...(next < all.length && { next_cursor: toVersionedCursor([next], about, toText(oid)) }),
  };
}
