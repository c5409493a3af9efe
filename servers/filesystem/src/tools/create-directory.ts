import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { DryRun, FilePath } from "./schemas.ts";

export const createDirectoryTool: ToolDefinition<FilesystemState> = defineTool({
  name: "create_directory",
  title: "Create a directory",
  description: "Creates a directory, with missing ones above it. One that exists is left as it is.",
  effects: "write",
  annotations: { idempotentHint: true },
  touches: "directories in the allowed directories",
  group: "write",
  input: schema(v.strictObject({ path: FilePath, dry_run: DryRun })),
  output: schema(v.object({ path: v.string(), created: v.boolean(), ...applied })),
  async run({ path, dry_run: isDryRun }, context: FilesystemContext) {
    const { createDirectory } = await import("../domain/writing/create-directory.ts");
    return withChange(context, isDryRun, (request) => createDirectory(request, { path }));
  },
  text(result) {
    const { path, created, changed, dry_run: isDryRun } = result;
    if (!created) return `${quotePath(path)} exists already.`;
    const above = changed.length > 1 ? `, with ${changed.length - 1} above it` : "";
    return `${quotePath(path)} ${isDryRun ? "would be created" : "created"}${above}.${howToUndo(result)}`;
  },
});
