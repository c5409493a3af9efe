import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, fitItems } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { type Asked, Paths } from "../domain/fields.ts";
import { ConflictedFile, listConflicts } from "../domain/reading/conflicts.ts";
import { RESOLUTION, resolveConflict, RESOLVED } from "../domain/writing/resolve-conflict.ts";
import { changing, withRepository } from "../state.ts";
import { ALIASES, asks, READS } from "./schemas.ts";
import { renderChange, takes, tells } from "./change-result.ts";

export const gitConflicts = defineTool({
  ...READS,
  name: "git_conflicts",
  title: "Conflicts",
  description: "Shows files with conflicts: per region what base, ours and theirs have.",
  group: "conflicts",
  version: 3,
  input: asks({ paths: Paths }),
  output: schema(v.object({ files: v.array(ConflictedFile), total: v.exactOptional(Count) })),
  untrusted: ["files"],
  run: ({ repo_path: path, paths }, context) =>
    withRepository(context, path, async (call) => {
      const all = await listConflicts(call, paths);
      const { items, rest } = fitItems(all, context.budget);
      return { files: [...items], ...(rest.length > 0 && { total: all.length }) };
    }),
  text: ({ files }) =>
    files.length === 0 ? "No file has conflicts." : files.flatMap((file) => renderFile(file)),
  note: ({ files, total }) => {
    if (total !== undefined)
      return `These are ${files.length} of ${total} files: name others in paths (git_status lists them), or raise max_bytes.`;
    return files.length === 0 ? undefined : "Resolve each with git_resolve_conflict: use, regions or text.";
  },
});

function renderFile({ path, kind, regions }: ConflictedFile): TextPart[] {
  const header = `${kind.replaceAll("_", " ")}${regions ? `, ${countOf(regions.length, "region")}` : ", no regions"}`;
  const shown = (regions ?? []).map(
    ({ region, base, ours, theirs }) =>
      `region ${region}\n<<< ours\n${ours}||| base\n${base}=== theirs\n${theirs}>>>`,
  );
  return [`${header}:`, untrusted([path, ...shown].join("\n"))];
}

export const gitResolveConflict = defineTool({
  name: "git_resolve_conflict",
  title: "Resolve a conflict",
  description:
    "Resolves one file and stages it: use ours, theirs, both, the file as it is on disk, or deleted; or regions, each with a side or text; or the whole text.",
  effects: "destructive",
  affects: "the repository and its work tree",
  group: "conflicts",
  version: 6,
  aliases: { path: ALIASES.path, text: ["content"] },
  input: takes(RESOLUTION),
  output: tells(RESOLVED),
  untrusted: ["changed", "text"],
  confirm: ({ path }) => `Replace ${path} by this resolution?`,
  run: changing((call, change, asked: Asked<typeof RESOLUTION>, { budget }) =>
    resolveConflict(call, change, asked, budget),
  ),
  text: (result, { dry_run: isDry }) => [
    ...renderChange(
      `${isDry ? "Would be resolved" : "Resolved"}; ${countOf(result.remaining, "file")} with conflicts left`,
      result,
    ),
    ...(result.text === undefined ? [] : ["It would be:", untrusted(result.text)]),
  ],
  note: ({ remaining, cut }, { dry_run: isDry }) =>
    cut
      ? "Only the beginning is shown; git_conflicts shows the regions."
      : remaining === 0 && !isDry
        ? "All are resolved: git_continue_or_abort with action continue, if git_status names an operation."
        : undefined,
});
