import { describeBytes, quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { toLine } from "../domain/walking/render-tree.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import {
  describeCount,
  describeIgnored,
  KINDS,
  LABELS,
  PageLimit,
  renderList,
  walkInput,
  walkOutput,
} from "./listings.ts";
import { ByteCount, FilePath } from "./schemas.ts";

export const listDirectoryWithSizes: ToolDefinition<FilesystemState> = defineTool({
  name: "list_directory_with_sizes",
  title: "List a directory with sizes",
  description:
    "Lists the entries of one directory with file sizes in bytes, sorted by name or largest first, and the totals of " +
    "the whole directory. 1,000 entries a page.",
  effects: "read",
  touches: "names and sizes in the allowed directories",
  group: "read",
  input: schema(
    v.strictObject({
      path: FilePath,
      sortBy: v.optional(v.picklist(["name", "size"])),
      limit: v.optional(PageLimit),
      ...walkInput,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      entries: v.array(
        v.object({ name: v.string(), type: v.picklist(KINDS), size: v.exactOptional(ByteCount) }),
      ),
      ignored: ByteCount,
      total_files: ByteCount,
      total_directories: ByteCount,
      total_size: ByteCount,
      ...walkOutput,
    }),
  ),
  run: (input, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { listSizes } = await import("../domain/walking/list-sizes.ts");
      return listSizes(guard, input, context.stop);
    }),
  text: (page) => {
    const files = describeCount(page.total_files, "file", "files");
    const directories = describeCount(page.total_directories, "directory", "directories");
    const heading = `${quotePath(page.path)}: ${files}, ${directories}, ${describeBytes(page.total_size)}`;
    const lines = page.entries.map(
      ({ name, type, size }) => `${LABELS[type]} ${toLine(name)}${size === undefined ? "" : ` ${size}`}`,
    );
    return renderList(heading + describeIgnored(page.ignored), lines.join("\n"), page);
  },
});
