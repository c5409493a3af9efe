import { definePrompt } from "../define.ts";

export const mcpDemo = definePrompt({
  name: "mcp-demo",
  title: "Demo: build a database about a topic",
  description: "Makes tables about a topic, fills them, and finds something out, step by step",
  arguments: {
    topic: {
      description: "What the data is about",
      required: true,
      complete: ["retail sales", "a city library", "football league", "coffee roastery", "hospital shifts"],
    },
  },
  render: ({ topic }) =>
    [
      `Let us explore what this server can do, with invented data about: ${topic}.`,
      "1. Think of a short story with a question that data could answer, and tell me.",
      "2. Make two or three related tables with create_table, and fill them with write_query or execute_batch (20 to 50 rows).",
      "3. Answer the question with read_query, one step at a time; look at plans with explain_query where it is interesting.",
      "4. Record what you find with append_insight as you go, and end with a summary of memo://insights.",
      "Ask me before each step whether to go on. Without permission to change the schema, use the tables that are there.",
    ].join("\n"),
});
