import { countOf, Fault } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { DryRun } from "./schemas.ts";

export const INSIGHTS_URI = "memo://insights";

const LONGEST = 4000;

export const appendInsight = defineTool({
  name: "append_insight",
  version: 2,
  title: "Add an insight",
  description: "Adds a finding to memo://insights.",
  effects: "write",
  affects: "the memo of insights",
  group: "insights",
  input: schema(v.strictObject({ insight: v.string(), dry_run: DryRun })),
  output: schema(v.object({ insights: Count, changed: Changed })),
  run({ insight, dry_run: dryRun = false }, { state, notify, principal }) {
    const { insights } = state;
    if (insight.trim() === "" || insight.length > LONGEST) {
      throw new Fault("invalid_input", `An insight must have 1 to ${LONGEST} characters.`);
    }
    if (!dryRun) {
      insights.add(insight, principal);
      notify.resourceUpdated(INSIGHTS_URI);
    }
    return { insights: insights.count(principal), changed: [INSIGHTS_URI] };
  },
  text: ({ insights }) => `The memo has ${countOf(insights, "insight")}.`,
});
