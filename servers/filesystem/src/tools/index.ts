import type { ToolDefinition } from "@suite/server-kit";

import type { FilesystemState } from "../state.ts";
import { appendFileTool } from "./append-file.ts";
import { composeFileTool } from "./compose-file.ts";
import { copyFileTool } from "./copy-file.ts";
import { createDirectoryTool } from "./create-directory.ts";
import { deleteFileTool } from "./delete-file.ts";
import { diffFilesTool } from "./diff-files.ts";
import { directoryTree } from "./directory-tree.ts";
import { editFileTool } from "./edit-file.ts";
import { findDuplicatesTool } from "./find-duplicates.ts";
import { getFileInfo } from "./get-file-info.ts";
import { hashFileTool } from "./hash-file.ts";
import { listAllowedDirectories } from "./list-allowed-directories.ts";
import { listDirectoryWithSizes } from "./list-directory-with-sizes.ts";
import { listDirectory } from "./list-directory.ts";
import { moveFileTool } from "./move-file.ts";
import { readMediaFile } from "./read-media-file.ts";
import { readMultipleFiles } from "./read-multiple-files.ts";
import { readTextFile } from "./read-text-file.ts";
import { replaceInFilesTool } from "./replace-in-files.ts";
import { searchContent } from "./search-content.ts";
import { searchFiles } from "./search-files.ts";
import { undoTool } from "./undo.ts";
import { writeFileTool } from "./write-file.ts";

/** In listing order: reading before changing. */
export const tools: readonly ToolDefinition<FilesystemState>[] = [
  readTextFile,
  readMediaFile,
  readMultipleFiles,
  listDirectory,
  listDirectoryWithSizes,
  directoryTree,
  searchFiles,
  searchContent,
  getFileInfo,
  diffFilesTool,
  hashFileTool,
  findDuplicatesTool,
  listAllowedDirectories,
  writeFileTool,
  appendFileTool,
  editFileTool,
  composeFileTool,
  replaceInFilesTool,
  createDirectoryTool,
  moveFileTool,
  copyFileTool,
  deleteFileTool,
  undoTool,
];
