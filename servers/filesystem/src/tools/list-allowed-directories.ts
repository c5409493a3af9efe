import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";

export const listAllowedDirectories: ToolDefinition<FilesystemState> = defineTool({
  name: "list_allowed_directories",
  title: "List the allowed directories",
  description: "Lists the directories that this server works in. Relative paths start at the first.",
  effects: "read",
  touches: "nothing but the server's own settings",
  group: "read",
  input: schema(v.strictObject({})),
  version: 2,
  output: schema(v.object({ note: v.optional(v.string()), directories: v.array(v.string()) })),
  run: (_, context: FilesystemContext) =>
    withGuard(context, (guard) => {
      const note = context.state.roots.noteFor(guard);
      return { ...(note !== undefined && { note }), directories: guard.roots.map(String) };
    }),
  text: ({ note, directories }) =>
    [...directories.map(quotePath), ...(note === undefined ? [] : [note])].join("\n"),
});
