import { pathToFileURL } from "node:url";
import { Reply, type ContentBlock } from "@suite/server-kit";
import { describeBytes, fromPathText, quoteShown } from "@suite/server-kit/domain";
import { Count, ETag, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import type { Media } from "../domain/reading/media.ts";
import { withGuard } from "../state.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const readMediaFile = defineTool({
  name: "read_media_file",
  title: "Read an image, audio or other file",
  description:
    "Reads any file as base64: images and audio as such, anything else as an embedded resource, with the type " +
    "detected from the content. At most 8 MiB per call; read larger files in parts with offset and length (bytes).",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 2,
  alsoKnownAs: ["read_image", "read_binary_file"],
  aliases: { path: PATH_NAMES },
  input: schema(v.strictObject({ path: FilePath, offset: v.optional(Count), length: v.optional(FromOne) })),
  output: schema(
    v.object({
      path: v.string(),
      mime_type: v.string(),
      size: Count,
      etag: ETag,
      kind: v.picklist(["image", "audio", "resource"]),
      offset: v.exactOptional(Count),
      length: v.exactOptional(Count),
      next_offset: v.exactOptional(Count),
    }),
  ),
  async run(input, context) {
    const { readMedia } = await import("../domain/reading/media.ts");
    const media = await withGuard(context, (guard) => readMedia(guard, input));
    // A Reply, because the bytes are only in the content, not in the structured result.
    return new Reply({
      structured: media.facts,
      content: [{ type: "text", text: renderFacts(media.facts) }, toBlock(media)],
    });
  },
  text: renderFacts,
});

function renderFacts({
  path,
  mime_type: type,
  size,
  etag,
  offset,
  length,
  next_offset: next,
}: Media["facts"]): string {
  const part =
    offset === undefined || length === undefined ? "" : `, bytes ${offset}-${offset + length - 1} of it`;
  const rest = next === undefined ? "" : `\nTruncated. Continue with offset: ${next}.`;
  return `${quoteShown(path)}: ${type}, ${describeBytes(size)}${part}, etag ${etag}${rest}`;
}

function toBlock({ bytes, facts }: Media): ContentBlock {
  const data = bytes.toString("base64");
  if (facts.kind !== "resource") return { type: facts.kind, data, mimeType: facts.mime_type };
  const mimeType = facts.offset === undefined ? facts.mime_type : "application/octet-stream";
  const uri = pathToFileURL(fromPathText(facts.path)).href;
  return { type: "resource", resource: { uri, mimeType, blob: data } };
}
