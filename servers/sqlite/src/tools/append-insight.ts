import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { SqliteContext, SqliteState } from "../state.ts";
import { countOf } from "./page.ts";
import { Changed, Count } from "./schemas.ts";

export const INSIGHTS_URI = "memo://insights";

export const appendInsight: ToolDefinition<SqliteState> = defineTool({
  name: "append_insight",
  title: "Add an insight",
  description: "Adds a finding about the data to the memo, the resource memo://insights.",
  effects: "write",
  touches: "the memo of insights",
  group: "insights",
  input: schema(
    v.strictObject({
      insight: v.pipe(v.string(), v.minLength(1), v.maxLength(4000)),
      dry_run: v.optional(v.boolean()),
    }),
  ),
  output: schema(v.object({ insights: Count, changed: Changed, dry_run: v.boolean() })),
  run({ insight, dry_run: dryRun = false }, { state, notify }: SqliteContext) {
    const { insights } = state;
    if (!dryRun) {
      insights.add(insight);
      notify.resourceUpdated(INSIGHTS_URI);
    }
    return { insights: insights.count + (dryRun ? 1 : 0), changed: [INSIGHTS_URI], dry_run: dryRun };
  },
  text: ({ insights, dry_run: isDryRun }) =>
    `${isDryRun ? "The memo would have" : "The memo has"} ${countOf(insights, "insight")}.`,
});
