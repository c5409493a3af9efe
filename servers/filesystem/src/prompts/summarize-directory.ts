import { definePrompt, type PromptDefinition } from "@suite/core";
import { Fault } from "@suite/server-kit/domain";
import { toFileUri } from "../domain/uris.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { completesPath } from "./path-argument.ts";
import { toRequest } from "./request.ts";

const DEEPEST = 10;

export const summarizeDirectory: PromptDefinition<FilesystemState> = definePrompt({
  name: "summarize_directory",
  title: "Summarize a directory",
  description: "Summarizes what a directory holds, from a listing and its README, which are attached",
  arguments: {
    path: {
      description: "The directory",
      required: true,
      complete: completesPath({ directoriesOnly: true }),
    },
    depth: { description: `Levels to list, 1 to ${DEEPEST}; 3 if left out`, complete: ["1", "2", "3", "5"] },
  },
  render: ({ path, depth = "3" }, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { attachDirectory } = await import("./attach-directory.ts");
      const attached = await attachDirectory(guard, path, parseDepth(depth), context.stop);
      const uri = toFileUri(attached.path);
      const request = [
        `Summarize the directory ${uri}, whose listing is attached.`,
        "Say what it is, how it is organized, and where somebody should begin to read. Look into files that decide about it before you judge (read_text_file).",
        ...attached.notes,
      ];
      return { description: `Summarizes ${uri}`, messages: toRequest(request, attached.blocks) };
    }),
});

function parseDepth(given: string): number {
  const depth = /^\d{1,2}$/.test(given) ? Number(given) : 0;
  if (depth >= 1 && depth <= DEEPEST) return depth;
  throw new Fault("invalid_input", `depth must be a whole number from 1 to ${DEEPEST}`, {
    details: { depth: given.slice(0, 20) },
  });
}
