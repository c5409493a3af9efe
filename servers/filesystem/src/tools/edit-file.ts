import { untrusted, type TextPart } from "@suite/server-kit";
import { quoteShown } from "@suite/server-kit/domain";
import { Count, DryRun, ETag, IfMatch } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

const Edit = v.strictObject({
  oldText: v.string(),
  newText: v.string(),
  replace_all: v.optional(v.boolean()),
});

export const editFileTool = defineTool({
  name: "edit_file",
  title: "Edit a text file",
  description:
    "Replaces text in a file. Each oldText must occur once (or set replace_all); edits apply in order, all or none. " +
    "White space may differ if the lines are unique.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 3,
  alsoKnownAs: ["str_replace", "str_replace_editor", "edit"],
  aliases: {
    path: PATH_NAMES,
    "edits[].oldText": ["old_string", "old_text", "old_str"],
    "edits[].newText": ["new_string", "new_text", "new_str"],
  },
  argumentHints: { replace_all: "it belongs inside each edit." },
  input: schema(
    v.strictObject({
      path: FilePath,
      edits: v.pipe(v.array(Edit), v.minLength(1), v.maxLength(500)),
      if_match: IfMatch,
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      etag: ETag,
      diff: v.exactOptional(v.string()),
      truncated: v.exactOptional(v.boolean()),
      loose_matches: v.exactOptional(v.array(Count)),
      other_names: v.exactOptional(Count),
      ...applied,
    }),
  ),
  untrusted: ["diff"],
  async run({ dry_run: isDryRun, ...input }, context) {
    const { editFile } = await import("../domain/editing/edit-file.ts");
    return withChange(context, isDryRun, (request) => editFile(request, input));
  },
  text(result, { dry_run: isDryRun }): TextPart[] {
    const { path, etag, diff, changed } = result;
    if (changed.length === 0)
      return [`${quoteShown(path)} is unchanged: the new text equals the old one. etag ${etag}.`];
    const did = `${describeChange(path, "edited", isDryRun)}, etag ${etag}.${howToUndo(result)}`;
    return diff === undefined ? [`${did} The change is too large for a diff.`] : [did, untrusted(diff)];
  },
  note({ loose_matches: loose, truncated, other_names: others }, { edits }) {
    const which = edits.length === 1 ? "oldText" : `oldText of edit ${loose?.join(", ")}`;
    return [
      loose && `${which} was found with other white space; newText was indented like the lines it replaces.`,
      truncated && "The diff is truncated.",
      noteOnLinks(others),
    ];
  },
});

/** Replacing a file by a rename leaves its other hard links with the old content. */
export const noteOnLinks = (others = 0): string | false =>
  others > 0 &&
  `${others === 1 ? "Another name keeps" : `${others} other names keep`} the old content (hard links).`;
