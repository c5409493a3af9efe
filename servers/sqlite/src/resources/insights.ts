import { defineResource } from "../define.ts";
import { INSIGHTS_URI } from "../tools/append-insight.ts";
import { toContents } from "./contents.ts";

const TYPE = "text/plain";

export const insights = defineResource({
  uri: INSIGHTS_URI,
  name: "insights",
  title: "Insights",
  description: "What was found out about the data, one insight a line",
  mimeType: TYPE,
  subscribe: true,
  read: ({ state }) => toContents(INSIGHTS_URI, TYPE, state.insights.toMemo()),
});
