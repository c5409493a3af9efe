import { createServer, type Tool } from "@suite/core";

import { KeyedLocks } from "../../domain/timing/locks.ts";
import { identity } from "./continue-with.ts";
import { toCoreTool } from "./execution.ts";
import type { SelectableTool } from "./selection.ts";
import { defaultContract } from "./settings.ts";
import type { ToolDefinition } from "./tool.ts";
import { viewOf } from "./apps.ts";

/** A tool as it is listed, with the facts that decide whether it is offered. */
export interface DescribedTool extends SelectableTool, Pick<ToolDefinition<never>, "needs" | "view"> {
  readonly listed: Tool;
}

/** Tools as data, written at build time so that a server can list them before it loads them. */
export function describeTools(tools: readonly ToolDefinition<never>[]): readonly DescribedTool[] {
  const contract = { ...defaultContract, guide: identity };
  const locks = new KeyedLocks();
  const { runtime } = createServer({
    name: "tool-list",
    version: "0",
    tools: tools.map((tool) => toCoreTool(tool, contract, locks)),
    // No tool is run here, so none reads the state.
    state: undefined as never,
  });
  const listed = runtime.catalog.tools?.values().map((entry) => entry.listed()) ?? [];
  return tools.map(({ name, group, effects, openWorld, needs, view }, index) => ({
    name,
    ...(group !== undefined && { group }),
    effects,
    ...(openWorld !== undefined && { openWorld }),
    ...(needs !== undefined && { needs }),
    ...toViewFact(viewOf({ effects, ...(view !== undefined && { view }) })),
    listed: listed[index] as Tool,
  }));
}

const toViewFact = (view: string | undefined): Pick<DescribedTool, "view"> =>
  view === undefined ? {} : { view };
