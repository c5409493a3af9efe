import { countOf } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { withGuard } from "../state.ts";
import {
  describeStart,
  EXCLUDE_NAMES,
  Globs,
  noteOnWalk,
  renderList,
  reportOutput,
  toExactSize,
} from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

export const findDuplicatesTool = defineTool({
  name: "find_duplicates",
  title: "Find duplicate files",
  description: "Finds files of the same content below a path, the newest of each group first.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "extra",
  version: 3,
  aliases: { path: PATH_NAMES, exclude: EXCLUDE_NAMES, include: ["glob", "globs"] },
  input: schema(
    v.strictObject({
      path: StartPath,
      include: Globs,
      exclude: Globs,
      min_size: v.optional(Count),
      respect_gitignore: v.optional(v.boolean()),
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      groups: v.array(v.object({ size: Count, files: v.array(v.string()) })),
      total_groups: Count,
      wasted: Count,
      is_lower_bound: v.exactOptional(v.literal(true)),
      ...reportOutput,
    }),
  ),
  untrusted: ["groups[].files"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { findDuplicates } = await import("../domain/searching/find-duplicates.ts");
      const { stop, progress, budget } = context;
      return findDuplicates(guard, { ...input, budget }, { signal: stop, onProgress: progress });
    }),
  text: (page, { path }) => {
    const { groups, total_groups: total, wasted, is_lower_bound: isMore } = page;
    const found = `${isMore ? "at least " : ""}${countOf(total, "group")}, ${toExactSize(wasted)} more than once`;
    const list = groups.map(({ size, files }) => [`${size} bytes each:`, ...files].join("\n"));
    return renderList(
      `${describeStart(page.path, path)}: ${total === 0 ? "no duplicates" : found}`,
      list.join("\n\n"),
      page,
    );
  },
  note: ({ groups, total_groups: total, is_lower_bound: isMore, ...page }) => [
    groups.length < total &&
      `The ${groups.length} largest of ${total} groups: narrow it with path, include or min_size.`,
    isMore && "Not all files were compared: there are too many, or too large ones.",
    ...noteOnWalk(page),
  ],
});
