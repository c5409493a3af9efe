import type { SelectableTool } from "@suite/server-kit";

/** What a developer does in a day. The other groups have to be named in --tools. */
const DEFAULT_GROUPS: readonly string[] = ["core", "branches", "conflicts"];

/** The operator's options about tools. */
interface OfferedTools {
  readonly allowNetwork: boolean;
  readonly allTools: boolean;
  readonly tools: readonly string[];
}

/** Tools that cannot work here, or are rarely needed, would only cost the model tokens. */
export function whyUnavailable(
  { group = "", openWorld }: SelectableTool,
  { allowNetwork, allTools, tools }: OfferedTools,
): string | undefined {
  if (openWorld && !allowNetwork) return "this server was started without --allow-network";
  const isOffered = allTools || tools.length > 0 || openWorld === true || DEFAULT_GROUPS.includes(group);
  if (isOffered) return undefined;
  return `in the group ${group}: start the server with --all-tools, or --tools ${[...DEFAULT_GROUPS, group].join()}`;
}
