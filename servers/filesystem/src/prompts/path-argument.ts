import type { CompletionInput, Completions } from "@suite/core";
import type { CompletionOptions } from "../domain/browsing/complete-path.ts";
import { withKnownGuard, type FilesystemContext } from "../state.ts";

/** Completes an argument that is a path: absolute, or relative to the allowed directory. */
export const completesPath =
  (options: CompletionOptions = {}) =>
  async ({ value }: CompletionInput, context: FilesystemContext): Promise<Completions> => {
    const { completePath } = await import("../domain/browsing/complete-path.ts");
    return withKnownGuard(context, [], (guard) => completePath(guard, value, options));
  };
