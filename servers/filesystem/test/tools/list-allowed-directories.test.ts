import { expect, it } from "vitest";
import { listAllowedDirectories } from "../../src/tools/list-allowed-directories.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, textOf } from "./tool-client.ts";

const scratch = createScratch();

it("list_allowed_directories names each", async () => {
  const result = await (await connectTool(listAllowedDirectories, scratch))({});
  expect(result.structuredContent).toEqual({ directories: [scratch.root] });
  expect(textOf(result)).toBe(`"${scratch.root}"`);
});
