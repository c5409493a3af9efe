import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { FileInfo } from "../domain/reading/file-info.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { ByteCount, ETag, FilePath } from "./schemas.ts";

export const getFileInfo: ToolDefinition<FilesystemState> = defineTool({
  name: "get_file_info",
  title: "Describe a file or directory",
  description:
    "Tells size, times, type, permissions, MIME type and etag of a file, directory or symbolic link, without its content.",
  effects: "read",
  touches: "files in the allowed directories",
  group: "read",
  input: schema(v.strictObject({ path: FilePath })),
  output: schema(
    v.object({
      path: v.string(),
      type: v.picklist(["file", "directory", "symlink", "fifo", "socket", "device"]),
      size: ByteCount,
      created: v.string(),
      modified: v.string(),
      accessed: v.string(),
      is_directory: v.boolean(),
      is_file: v.boolean(),
      is_symlink: v.boolean(),
      link: v.exactOptional(v.picklist(["inside", "dangling", "refused"])),
      link_target: v.exactOptional(v.string()),
      permissions: v.string(),
      links: ByteCount,
      mime_type: v.exactOptional(v.string()),
      etag: v.exactOptional(ETag),
    }),
  ),
  async run({ path }, context: FilesystemContext) {
    const { describeFile } = await import("../domain/reading/file-info.ts");
    return withGuard(context, (guard) => describeFile(guard, path));
  },
  text: renderInfo,
});

const LINKS = {
  inside: (target: string) => `a symbolic link to ${quotePath(target)}`,
  dangling: () => "a symbolic link to nothing",
  refused: () => "a symbolic link that leads outside the allowed directories, or may not be followed",
};

function renderInfo({ link, link_target: target = "", ...info }: FileInfo): string {
  const facts = [
    `${quotePath(info.path)}: ${info.type}${link === undefined ? "" : `, ${LINKS[link](target)}`}`,
    `${info.size} bytes, permissions ${info.permissions}, ${info.links} ${info.links === 1 ? "name" : "names"}`,
    `modified ${info.modified}, created ${info.created}, accessed ${info.accessed}`,
  ];
  if (info.mime_type !== undefined) facts.push(`type ${info.mime_type}`);
  if (info.etag !== undefined) facts.push(`etag ${info.etag}`);
  return facts.join("\n");
}
