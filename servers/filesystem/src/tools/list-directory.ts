import { countOf, quoteShown } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { withGuard } from "../state.ts";
import { EntryKind, EntryLimit, LABELS, noteOnWalk, renderList, walkInput, walkOutput } from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

export const listDirectory = defineTool({
  name: "list_directory",
  title: "List a directory",
  description: "Lists the entries of one directory: [DIR], [FILE], [LINK] or [OTHER] and the name.",
  effects: "read",
  affects: "names in the allowed directories",
  group: "read",
  version: 3,
  alsoKnownAs: ["ls", "list_files", "list_dir"],
  aliases: { path: PATH_NAMES },
  input: schema(v.strictObject({ path: StartPath, limit: EntryLimit, ...walkInput })),
  output: schema(
    v.object({
      path: v.string(),
      entries: v.array(v.object({ name: v.string(), type: EntryKind })),
      ...walkOutput,
    }),
  ),
  untrusted: ["entries[].name"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { listDirectory: list } = await import("../domain/walking/list-directory.ts");
      return list(guard, { ...input, budget: context.budget }, context.stop);
    }),
  text: (page) => {
    const heading = `${quoteShown(page.path)}: ${countOf(page.entries.length, "entry")}`;
    return renderList(
      heading,
      page.entries.map(({ name, type }) => `${LABELS[type]} ${name}`).join("\n"),
      page,
    );
  },
  note: noteOnWalk,
});
