import type { PromptDefinition } from "@suite/core";
import type { FilesystemState } from "../state.ts";
import { explainFile } from "./explain-file.ts";
import { reviewChangesBetween } from "./review-changes-between.ts";
import { summarizeDirectory } from "./summarize-directory.ts";

/** In the order in which they are listed. */
export const prompts: readonly PromptDefinition<FilesystemState>[] = [
  explainFile,
  summarizeDirectory,
  reviewChangesBetween,
];
