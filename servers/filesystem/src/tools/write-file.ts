import { untrusted, type TextPart } from "@suite/server-kit";
import { describeBytes, quoteShown } from "@suite/server-kit/domain";
import { Count, DryRun, ETag, IfMatch } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { noteOnLinks } from "./edit-file.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const writeFileTool = defineTool({
  name: "write_file",
  title: "Write a file",
  description:
    "Creates a file, with missing directories, or replaces its whole content atomically. " +
    "Give if_match to replace only the version you read. To change parts of a file use edit_file.",
  effects: "destructive",
  annotations: { idempotentHint: true },
  affects: "files in the allowed directories",
  group: "write",
  version: 2,
  alsoKnownAs: ["create_file", "write"],
  aliases: { path: PATH_NAMES, content: ["text", "contents"] },
  input: schema(
    v.strictObject({
      path: FilePath,
      content: v.string(),
      encoding: v.optional(v.picklist(["utf-8", "base64"])),
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
      diff: v.exactOptional(v.string()),
      truncated: v.exactOptional(v.boolean()),
      other_names: v.exactOptional(Count),
      ...applied,
    }),
  ),
  untrusted: ["diff"],
  async run({ dry_run: isDryRun, ...input }, context) {
    const { writeFile } = await import("../domain/writing/write-file.ts");
    return withChange(context, isDryRun, (request) => writeFile(request, input));
  },
  text(result, { dry_run: isDryRun }): TextPart[] {
    const { path, bytes, existed, etag, diff, changed } = result;
    const facts = etag === undefined ? "" : `, etag ${etag}`;
    if (changed.length === 0) return [`${quoteShown(path)} has this content already${facts}.`];
    const did = describeChange(path, existed ? "replaced" : "created", isDryRun);
    const head = `${did} (${describeBytes(bytes)})${facts}.${howToUndo(result)}`;
    return diff === undefined ? [head] : [head, untrusted(diff)];
  },
  note: ({ truncated, other_names: others }) => [truncated && "The diff is truncated.", noteOnLinks(others)],
});
