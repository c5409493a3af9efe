import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count, ETag } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import type { FileInfo } from "../domain/reading/file-info.ts";
import { withGuard } from "../state.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const getFileInfo = defineTool({
  name: "get_file_info",
  title: "Describe a file or directory",
  description:
    "Size, times, type, permissions, MIME type and etag of a file, directory or link, without its content.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 2,
  alsoKnownAs: ["stat", "file_info"],
  aliases: { path: PATH_NAMES },
  input: schema(v.strictObject({ path: FilePath })),
  output: schema(
    v.object({
      path: v.string(),
      type: v.picklist(["file", "directory", "symlink", "fifo", "socket", "device"]),
      size: Count,
      created: v.string(),
      modified: v.string(),
      accessed: v.string(),
      link: v.exactOptional(v.picklist(["inside", "dangling", "refused"])),
      link_target: v.exactOptional(v.string()),
      permissions: v.string(),
      links: Count,
      mime_type: v.exactOptional(v.string()),
      etag: v.exactOptional(ETag),
    }),
  ),
  async run({ path }, context) {
    const { describeFile } = await import("../domain/reading/file-info.ts");
    return withGuard(context, (guard) => describeFile(guard, path));
  },
  text: renderInfo,
});

const LINKS = {
  inside: (target: string) => `a symbolic link to ${quoteShown(target)}`,
  dangling: () => "a symbolic link to nothing",
  refused: () => "a symbolic link that leads outside the allowed directories, or may not be followed",
};

function renderInfo({ link, link_target: target = "", ...info }: FileInfo): string {
  const facts = [
    `${quoteShown(info.path)}: ${info.type}${link === undefined ? "" : `, ${LINKS[link](target)}`}`,
    `${countOf(info.size, "byte")}, permissions ${info.permissions}, ${countOf(info.links, "name")}`,
    `modified ${info.modified}, created ${info.created}, accessed ${info.accessed}`,
  ];
  if (info.mime_type !== undefined) facts.push(`type ${info.mime_type}`);
  if (info.etag !== undefined) facts.push(`etag ${info.etag}`);
  return facts.join("\n");
}
