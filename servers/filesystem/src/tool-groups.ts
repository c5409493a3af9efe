import type { SelectableTool } from "@suite/server-kit";

/** What a day's work does not need would only cost the model tokens: it is offered when the operator asks for it. */
export const whyUnavailable = (
  { group }: SelectableTool,
  { allTools, tools }: { readonly allTools: boolean; readonly tools: readonly string[] },
): string | undefined =>
  group === "extra" && !allTools && tools.length === 0
    ? "in the group extra: start the server with --all-tools"
    : undefined;
