import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { toLine } from "../domain/walking/render-tree.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { describeCount, Globs, renderList, TreeLimit, walkInput, walkOutput } from "./listings.ts";
import { FilePath } from "./schemas.ts";

export const searchFiles: ToolDefinition<FilesystemState> = defineTool({
  name: "search_files",
  title: "Find files by name",
  description:
    "Finds files and directories below a path by glob: *.ts matches names at any depth, src/**/*.{ts,md} paths " +
    "relative to path. Gives absolute paths, directories with a slash behind. 1,000 a page.",
  effects: "read",
  touches: "names in the allowed directories",
  group: "read",
  input: schema(
    v.strictObject({
      path: FilePath,
      pattern: v.pipe(v.string(), v.minLength(1)),
      excludePatterns: v.optional(Globs),
      limit: v.optional(TreeLimit),
      ...walkInput,
    }),
  ),
  output: schema(v.object({ path: v.string(), matches: v.array(v.string()), ...walkOutput })),
  run: (input, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { findFiles } = await import("../domain/searching/find-files.ts");
      const { stop, progress } = context;
      return findFiles(guard, input, { signal: stop, onProgress: (seen) => progress(seen) });
    }),
  text: (page) => {
    const found =
      page.matches.length === 0 ? "nothing" : describeCount(page.matches.length, "match", "matches");
    return renderList(`${quotePath(page.path)}: ${found}`, page.matches.map(toLine).join("\n"), page);
  },
});
