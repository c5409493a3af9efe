import { definePrompt, type PromptDefinition } from "@suite/core";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { completesPath } from "./path-argument.ts";
import { toRequest } from "./request.ts";

export const explainFile: PromptDefinition<FilesystemState> = definePrompt({
  name: "explain_file",
  title: "Explain a file",
  description: "Explains one file, which is attached: what it is for, how it works, and what stands out",
  arguments: {
    path: { description: "The file", required: true, complete: completesPath() },
    audience: {
      description: "Who it is explained to",
      complete: ["a new contributor", "an experienced developer", "someone who does not program"],
    },
  },
  render: ({ path, audience = "a new contributor" }, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { attachFile } = await import("./attach-file.ts");
      const { block, notes } = await attachFile(guard, path, context.stop);
      const request = [
        `Explain the attached file ${block.resource.uri} to ${audience}.`,
        "Begin with what it is for, in one or two sentences. Then go through its parts in their order, and name what is unusual, fragile or likely to be wrong.",
        ...notes,
      ];
      return { description: `Explains ${block.resource.uri}`, messages: toRequest(request, [block]) };
    }),
});
