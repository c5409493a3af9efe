import { countOf, describeBytes } from "@suite/server-kit/domain";
import { Count, DryRun, ETag, FromOne, IfMatch } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const composeFileTool = defineTool({
  name: "compose_file",
  title: "Compose a file",
  description:
    "Writes a file from parts in order: new text, or lines of files (path, start_line, end_line). " +
    "Joins, splits and reorders without repeating the content. Each part starts on a new line.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "extra",
  aliases: { path: PATH_NAMES },
  input: schema(
    v.strictObject({
      path: FilePath,
      parts: v.pipe(
        v.array(
          v.strictObject({
            text: v.optional(v.string()),
            path: v.optional(FilePath),
            start_line: v.optional(FromOne),
            end_line: v.optional(FromOne),
          }),
        ),
        v.minLength(1),
        v.maxLength(500),
      ),
      overwrite: v.optional(v.boolean()),
      if_match: IfMatch,
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      bytes: Count,
      existed: v.boolean(),
      etag: v.exactOptional(ETag),
      other_names: v.exactOptional(Count),
      part_lines: v.array(Count),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { composeFile } = await import("../domain/writing/compose-file.ts");
    return withChange(context, isDryRun, (request) => composeFile(request, input));
  },
  text(result, { dry_run: isDryRun }) {
    const { path, bytes, existed, etag, part_lines: lines } = result;
    const did = describeChange(path, existed ? "replaced" : "created", isDryRun);
    const facts = `${countOf(lines.length, "part")}, lines: ${lines.join(" + ")}; ${describeBytes(bytes)}`;
    return `${did} (${facts})${etag === undefined ? "" : `, etag ${etag}`}.${howToUndo(result)}`;
  },
});
