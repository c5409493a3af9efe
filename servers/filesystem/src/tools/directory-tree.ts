import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import type { TreeDirectory } from "../domain/walking/tree.ts";
import { withGuard } from "../state.ts";
import {
  entryLists,
  EntryLimit,
  EXCLUDE_NAMES,
  Globs,
  noteOnWalk,
  renderList,
  toOneLine,
  walkInput,
  walkOutput,
} from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

export const directoryTree = defineTool({
  name: "directory_tree",
  title: "Show a directory tree",
  description:
    "Everything below a directory as an indented tree. Narrow it with depth and exclude (globs; a name such as dist is excluded everywhere).",
  effects: "read",
  affects: "names in the allowed directories",
  group: "read",
  version: 5,
  aliases: { path: PATH_NAMES, exclude: EXCLUDE_NAMES, depth: ["max_depth"] },
  input: schema(
    v.strictObject({
      path: StartPath,
      exclude: Globs,
      depth: v.optional(FromOne),
      limit: EntryLimit,
      ...walkInput,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      entries: Count,
      total: v.exactOptional(Count),
      is_lower_bound: v.exactOptional(v.literal(true)),
      tree: v.array(
        v.object({
          path: v.string(),
          depth_reached: v.exactOptional(v.boolean()),
          ...entryLists,
        }),
      ),
      ...walkOutput,
    }),
  ),
  untrusted: ["tree"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { readTree } = await import("../domain/walking/tree.ts");
      const { stop, progress, budget } = context;
      return readTree(guard, { ...input, budget }, { signal: stop, onProgress: progress });
    }),
  text: (page, { cursor }) => {
    const isPart = page.truncated || cursor !== undefined;
    const whole = page.is_lower_bound ? "more than " : "";
    const onPage =
      page.total === undefined ? isPart && " on this page" : ` of ${whole}${countOf(page.total, "entry")}`;
    const heading = `${quoteShown(page.path)}: ${countKinds(page.tree)}${onPage || ""}`;
    return renderList(heading, renderTree(page.tree), page);
  },
  note: noteOnWalk,
});

/** "2 files, 1 directory": without kinds of which there are none. */
function countKinds(tree: readonly TreeDirectory[]): string {
  const count = (kind: "files" | "directories" | "links" | "other", one: string): string => {
    const sum = tree.reduce((total, { [kind]: names = [] }) => total + names.length, 0);
    return sum === 0 ? "" : countOf(sum, one);
  };
  const kinds = [
    count("files", "file"),
    count("directories", "directory"),
    count("links", "link"),
    count("other", "special file"),
  ];
  return kinds.filter(Boolean).join(", ") || "empty";
}

/**
 * An indented tree; directories end with a slash, and with … if they were not entered because of depth. A directory whose
 * parent is not on this page starts at the margin, with its whole path.
 */
export function renderTree(tree: readonly TreeDirectory[]): string {
  const byPath = new Map(tree.map((directory) => [directory.path, directory]));
  const shown = new Set<TreeDirectory>();
  const lines: string[] = [];
  const render = (directory: TreeDirectory, indent: string): void => {
    shown.add(directory);
    const { path, files = [], links = [], other = [], directories = [] } = directory;
    const mark = directory.depth_reached ? "/ …" : "/";
    for (const name of files) lines.push(indent + toOneLine(name));
    for (const name of links) lines.push(`${indent}${toOneLine(name)} (link)`);
    for (const name of other) lines.push(`${indent}${toOneLine(name)} (special)`);
    for (const name of directories) {
      lines.push(indent + toOneLine(name) + mark);
      const below = byPath.get(path === "" ? name : `${path}/${name}`);
      if (below) render(below, `${indent}  `);
    }
  };
  for (const directory of tree) {
    if (shown.has(directory)) continue;
    if (directory.path !== "") lines.push(`${toOneLine(directory.path)}/`);
    render(directory, directory.path === "" ? "" : "  ");
  }
  return lines.join("\n");
}
