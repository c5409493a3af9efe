import { quoteShown, toPathText } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { withGuard } from "../state.ts";

export const listAllowedDirectories = defineTool({
  name: "list_allowed_directories",
  title: "List the allowed directories",
  description: "Lists the directories this server may use.",
  effects: "read",
  affects: "nothing but the server's own settings",
  group: "read",
  version: 3,
  input: schema(v.strictObject({})),
  output: schema(
    v.object({ directories: v.array(v.string()), unused_client_roots: v.exactOptional(v.string()) }),
  ),
  run: (_, context) =>
    withGuard(context, (guard) => {
      const unused = context.state.roots.noteFor(guard);
      return {
        directories: guard.roots.map(toPathText),
        ...(unused !== undefined && { unused_client_roots: unused }),
      };
    }),
  text: ({ directories, unused_client_roots: unused }) =>
    [...directories.map(quoteShown), ...(unused === undefined ? [] : [unused])].join("\n"),
});
