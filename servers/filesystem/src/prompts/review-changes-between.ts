import { definePrompt, type PromptDefinition } from "@suite/core";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { completesPath } from "./path-argument.ts";
import { toRequest } from "./request.ts";

export const reviewChangesBetween: PromptDefinition<FilesystemState> = definePrompt({
  name: "review_changes_between",
  title: "Review what changed between two files",
  description: "Reviews the changes from one file to another; both are attached, with their diff",
  arguments: {
    before: { description: "The file as it was", required: true, complete: completesPath() },
    after: { description: "The file as it is now", required: true, complete: completesPath() },
    focus: {
      description: "What to look for above all",
      complete: ["correctness", "security", "performance", "readability", "compatibility"],
    },
  },
  render: ({ before, after, focus }, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { attachChanges } = await import("./attach-changes.ts");
      const { from, to, blocks, notes } = await attachChanges(guard, before, after, context.stop);
      const request = [
        `Review the changes from ${from} to ${to}. Both are attached, then the diff.`,
        `Look for mistakes, for what was forgotten, and for what would surprise whoever relies on the old version${focus === undefined ? "" : `, above all for ${focus}`}. Quote the lines you speak of, the most serious first. Say so if there is nothing to object to.`,
        ...notes,
      ];
      return {
        description: `Reviews the changes from ${from} to ${to}`,
        messages: toRequest(request, blocks),
      };
    }),
});
