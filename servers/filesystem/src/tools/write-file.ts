import { quotePath } from "@suite/server-kit/domain";
import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { Applied } from "../domain/writing/changes/apply-change.ts";
import type { WrittenFile } from "../domain/writing/write-file.ts";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { ByteCount, DryRun, ETag, FilePath, IfMatch } from "./schemas.ts";

export const writeFileTool: ToolDefinition<FilesystemState> = defineTool({
  name: "write_file",
  title: "Write a file",
  description:
    "Creates a file or replaces all of its content, at once or not at all. Give if_match to replace only the version you read. " +
    "To change parts of a file use edit_file.",
  effects: "destructive",
  annotations: { idempotentHint: true },
  touches: "files in the allowed directories",
  group: "write",
  input: schema(
    v.strictObject({
      path: FilePath,
      content: v.string(),
      encoding: v.optional(v.picklist(["utf-8", "base64"])),
      create_parents: v.optional(v.boolean()),
      if_match: IfMatch,
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      bytes: ByteCount,
      created: v.boolean(),
      etag: v.exactOptional(ETag),
      diff: v.exactOptional(v.string()),
      truncated: v.exactOptional(v.boolean()),
      note: v.exactOptional(v.string()),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context: FilesystemContext) {
    const { writeFile } = await import("../domain/writing/write-file.ts");
    return withChange(context, isDryRun, (request) => writeFile(request, input));
  },
  text: render,
});

function render(result: WrittenFile & Applied): TextPart[] {
  const { path, bytes, created, etag, diff, truncated, note } = result;
  const verb = created ? "created" : "replaced";
  const did = result.dry_run ? `would be ${verb}` : verb;
  const action = result.changed.length === 0 ? "has this content already" : `${did} (${bytes} bytes)`;
  const facts = etag === undefined ? "" : `, etag ${etag}`;
  const parts = [
    `${quotePath(path)} ${action}${facts}.${howToUndo(result)}`,
    ...(note === undefined ? [] : [note]),
  ];
  if (diff === undefined) return parts;
  return [...parts, untrusted(diff, path), ...(truncated ? ["The diff is cut."] : [])];
}
