import { quotePath } from "@suite/server-kit/domain";
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

export const listDirectory: ToolDefinition<FilesystemState> = defineTool({
  name: "list_directory",
  title: "List a directory",
  description:
    "Lists the entries of one directory: [DIR], [FILE], [LINK] or [OTHER] and the name. 1,000 a page.",
  effects: "read",
  touches: "names in the allowed directories",
  group: "read",
  input: schema(v.strictObject({ path: FilePath, limit: v.optional(PageLimit), ...walkInput })),
  output: schema(
    v.object({
      path: v.string(),
      entries: v.array(v.object({ name: v.string(), type: v.picklist(KINDS) })),
      ignored: ByteCount,
      ...walkOutput,
    }),
  ),
  run: (input, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { listDirectory: list } = await import("../domain/walking/list-directory.ts");
      return list(guard, input, context.stop);
    }),
  text: (page) => {
    const heading = `${quotePath(page.path)}: ${describeCount(page.entries.length, "entry", "entries")}`;
    const lines = page.entries.map(({ name, type }) => `${LABELS[type]} ${toLine(name)}`);
    return renderList(heading + describeIgnored(page.ignored), lines.join("\n"), page);
  },
});
