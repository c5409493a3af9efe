import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { renderTree } from "../domain/walking/render-tree.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { describeCount, Globs, renderList, TreeLimit, walkInput, walkOutput } from "./listings.ts";
import { ByteCount, Count, FilePath } from "./schemas.ts";

const Names = v.exactOptional(v.array(v.string()));

export const directoryTree: ToolDefinition<FilesystemState> = defineTool({
  name: "directory_tree",
  title: "Show a directory tree",
  description:
    "Everything below a directory as an indented tree, links not followed. Narrow it with depth and excludePatterns " +
    "(globs; a name such as dist is left out everywhere). 1,000 entries a page.",
  effects: "read",
  touches: "names in the allowed directories",
  group: "read",
  input: schema(
    v.strictObject({
      path: FilePath,
      excludePatterns: v.optional(Globs),
      depth: v.optional(Count),
      limit: v.optional(TreeLimit),
      ...walkInput,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      entries: ByteCount,
      tree: v.array(
        v.object({ path: v.string(), files: Names, directories: Names, links: Names, other: Names }),
      ),
      ...walkOutput,
    }),
  ),
  run: (input, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { readTree } = await import("../domain/walking/tree.ts");
      const { stop, progress } = context;
      return readTree(guard, input, { signal: stop, onProgress: (seen) => progress(seen) });
    }),
  text: (page) => {
    const heading = `${quotePath(page.path)}: ${describeCount(page.entries, "entry", "entries")}`;
    return renderList(heading, renderTree(page.tree), page);
  },
});
