import { createServer, defineTool, type Server } from "@suite/core";

const textObject = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

const echo = defineTool({
  name: "echo",
  description: "Returns the text.",
  input: textObject,
  output: textObject,
  run: ({ text }) => ({ text }),
  text: ({ text }) => text,
});

export const createEchoServer = (): Server => createServer({ name: "ours", version: "1.0.0", tools: [echo] });
