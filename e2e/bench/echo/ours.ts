import { createServer, defineTool, type ReplicaPort, type Server } from "@suite/core";

const textObject = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

const echo = defineTool({
  name: "echo",
  description: "Returns the text.",
  input: textObject,
  output: textObject,
  run: ({ text }) => ({ text }),
  text: ({ text }) => text,
});

/** Alone, unless it is one of several. */
export const createEchoServer = (replica?: ReplicaPort): Server =>
  createServer({ name: "ours", version: "1.0.0", tools: [echo], ...(replica && { replica }) });
