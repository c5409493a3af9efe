import { defaultContract } from "@suite/server-kit";
import { connectInMemory } from "@suite/server-kit/testing";
import { expect, it } from "vitest";

import { createNotesServer } from "../src/server.ts";

it("saves, reads and deletes a note", async () => {
  const client = await connectInMemory(createNotesServer(defaultContract));
  const save = { title: "first", text: "Hello" };
  const dry = await client.callTool("save_note", { ...save, dry_run: true });
  expect(dry.structuredContent).toMatchObject({ dry_run: true, would_change: ["note:///first"] });
  const saved = await client.callTool("save_note", save);
  expect(saved.structuredContent).toEqual({
    uri: "note:///first",
    replaced: false,
    changed: ["note:///first"],
  });
  const read = await client.readResource("note:///first");
  expect(read.contents).toMatchObject([{ text: "Hello" }]);
  await client.callTool("delete_note", { title: "first" });
  const again = await client.callTool("delete_note", { title: "first" });
  expect(again).toMatchObject({ isError: true, _meta: { "dev.suite/error": { code: "not_found" } } });
  await client.close();
});
