import { expect, it } from "vitest";

import { createServer } from "../src/index.ts";
import { openLine } from "../src/testing.ts";
import { MODERN } from "./revisions.ts";
import { skipWaits } from "./transcript.ts";

it("a line waits for an answer that a busy machine takes long to give", async () => {
  skipWaits();
  const run = (): Promise<string> => new Promise((resolve) => setTimeout(() => resolve("late"), 50_000));
  const server = createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });
  const line = await openLine(server, { revision: MODERN });
  expect(await line.request("tools/call", { name: "t" })).toMatchObject({ result: {} });
});
