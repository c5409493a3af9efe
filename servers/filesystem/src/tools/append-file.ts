import { describeBytes } from "@suite/server-kit/domain";
import { Count, DryRun, ETag, IfMatch } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const appendFileTool = defineTool({
  name: "append_file",
  title: "Append to a file",
  description: "Adds text to the end of a file exactly as given. Creates the file and missing directories.",
  effects: "write",
  affects: "files in the allowed directories",
  group: "write",
  version: 4,
  aliases: { path: PATH_NAMES, content: ["text"] },
  input: schema(v.strictObject({ path: FilePath, content: v.string(), if_match: IfMatch, dry_run: DryRun })),
  output: schema(
    v.object({
      path: v.string(),
      existed: v.boolean(),
      bytes_added: Count,
      continues_line: v.exactOptional(v.literal(true)),
      size: v.exactOptional(Count),
      etag: v.exactOptional(ETag),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { appendFile } = await import("../domain/writing/append-file.ts");
    return withChange(context, isDryRun, (request) => appendFile(request, input));
  },
  text(result, { dry_run: isDryRun }) {
    const { path, existed, bytes_added: added, etag } = result;
    const did = describeChange(path, existed ? "appended to" : "created", isDryRun);
    const facts = `${describeBytes(added)} added${etag === undefined ? "" : `, etag ${etag}`}`;
    return `${did}: ${facts}.${howToUndo(result)}`;
  },
  note: ({ continues_line: isJoined }, { dry_run: isDryRun }) =>
    isJoined && `The last line had no line end, so the text ${isDryRun ? "would continue" : "continues"} it.`,
});
