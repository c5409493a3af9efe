import { quoteShown } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { withGuard } from "../state.ts";
import { LISTS } from "../domain/walking/read-entries.ts";
import {
  countOfPage,
  entryLists,
  EntryLimit,
  KINDS,
  LABELS,
  noteOnWalk,
  renderList,
  walkInput,
  walkOutput,
} from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

export const listDirectory = defineTool({
  name: "list_directory",
  title: "List a directory",
  description: "Lists the entries of one directory: [DIR], [FILE], [LINK] or [OTHER] and the name.",
  effects: "read",
  affects: "names in the allowed directories",
  group: "read",
  version: 5,
  alsoKnownAs: ["ls", "list_files", "list_dir"],
  aliases: { path: PATH_NAMES },
  input: schema(v.strictObject({ path: StartPath, limit: EntryLimit, ...walkInput })),
  output: schema(
    v.object({
      path: v.string(),
      ...entryLists,
      total: Count,
      ...walkOutput,
    }),
  ),
  untrusted: ["directories", "files", "links", "other"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { listDirectory: list } = await import("../domain/walking/list-directory.ts");
      return list(guard, { ...input, budget: context.budget }, context.stop);
    }),
  text: (page) => {
    const lines = KINDS.flatMap((kind) => page[LISTS[kind]]?.map((name) => `${LABELS[kind]} ${name}`) ?? []);
    return renderList(
      `${quoteShown(page.path)}: ${countOfPage(lines.length, page, "entry")}`,
      lines.join("\n"),
      page,
    );
  },
  note: noteOnWalk,
});
