import { quoteShown } from "@suite/server-kit/domain";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const createDirectoryTool = defineTool({
  name: "create_directory",
  title: "Create a directory",
  description: "Creates a directory and any missing parents. An existing one is left as it is.",
  effects: "write",
  annotations: { idempotentHint: true },
  affects: "directories in the allowed directories",
  group: "write",
  version: 2,
  alsoKnownAs: ["mkdir", "make_directory"],
  aliases: { path: PATH_NAMES },
  input: schema(v.strictObject({ path: FilePath, dry_run: DryRun })),
  output: schema(v.object({ path: v.string(), existed: v.boolean(), ...applied })),
  async run({ path, dry_run: isDryRun }, context) {
    const { createDirectory } = await import("../domain/writing/create-directory.ts");
    return withChange(context, isDryRun, (request) => createDirectory(request, { path }));
  },
  text(result, { dry_run: isDryRun }) {
    const { path, existed, changed } = result;
    if (existed) return `${quoteShown(path)} exists already.`;
    const above = changed.length > 1 ? `, with ${changed.length - 1} above it` : "";
    return `${describeChange(path, "created", isDryRun)}${above}.${howToUndo(result)}`;
  },
});
