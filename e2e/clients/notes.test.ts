import { until } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { NOTES } from "../support/servers.ts";
import { connectForSuite } from "./for-suite.ts";
import { isSince, MATRIX } from "./matrix.ts";

describe.each(MATRIX)("the notes server, driven by $label", (pairing) => {
  const outsider = connectForSuite(pairing, NOTES);
  const hasStructure = isSince(pairing.revision, "2025-06-18");
  const hasForms = isSince(pairing.revision, "2025-06-18");

  it("saves a note, with a result that its schema allows", async () => {
    const { client, callTool } = outsider();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["save_note", "delete_note"]);
    expect(tools[0]?.outputSchema !== undefined).toBe(hasStructure);
    const result = await callTool("save_note", { title: "shopping list", text: "milk" });
    expect(result.content).toEqual([{ type: "text", text: "Saved note:///shopping%20list" }]);
    const uri = "note:///shopping%20list";
    const structured = { uri, replaced: false, changed: [uri] };
    expect(result.structuredContent).toEqual(hasStructure ? structured : undefined);
  });

  it("lists and reads it", async () => {
    const { client } = outsider();
    const uris: string[] = [];
    for (let cursor: string | undefined, page = 0; page < 10; page += 1) {
      const { resources, nextCursor } = await client.listResources(cursor === undefined ? {} : { cursor });
      uris.push(...resources.map(({ uri }) => uri));
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    expect(uris).toEqual(["note:///", "suite://environment", "note:///welcome", "note:///shopping%20list"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "note:///{title}", name: "note" }]);
    expect((await client.readResource({ uri: "note:///shopping%20list" })).contents).toEqual([
      { uri: "note:///shopping%20list", mimeType: "text/markdown", text: "milk" },
    ]);
    await expect(client.readResource({ uri: "note:///nothing" })).rejects.toThrow(/not found/i);
  });

  it("says when it changes, and stops when nobody listens any more", async () => {
    const { notified, listen, callTool } = outsider();
    const uri = "note:///shopping%20list";
    const isUpdate = ({ method }: { method: string }): boolean =>
      method === "notifications/resources/updated";
    const listening = await listen([uri]);
    await callTool("save_note", { title: "shopping list", text: "milk and bread" });
    const { params } = await until(() => notified.find(isUpdate), "the update");
    expect(params).toMatchObject({ uri });
    await listening.close();
    await callTool("save_note", { title: "shopping list", text: "bread" });
    await callTool("save_note", { title: "shopping list", text: "" });
    expect(notified.filter(isUpdate)).toHaveLength(1);
  });

  it("renders its prompt and completes titles", async () => {
    const { client } = outsider();
    expect((await client.listPrompts()).prompts).toMatchObject([
      { name: "summarize_note", arguments: [{ name: "title", required: true }, { name: "style" }] },
    ]);
    const { messages } = await client.getPrompt({ name: "summarize_note", arguments: { title: "welcome" } });
    expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
    await expect(client.getPrompt({ name: "summarize_note" })).rejects.toThrow(/title: is required/);
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "note:///{title}" },
      argument: { name: "title", value: "wel" },
    });
    expect(completion.values).toEqual(["welcome"]);
  });

  it("asks before it deletes, where the client can be asked", async () => {
    const { asked, answers, callTool } = outsider();
    answers.elicit = () => ({ action: "accept", content: { sure: false } });
    const kept = await callTool("delete_note", { title: "shopping list" });
    expect(asked.length).toBe(hasForms ? 1 : 0);
    answers.elicit = () => ({ action: "accept", content: { sure: true } });
    const deleted = hasForms ? await callTool("delete_note", { title: "shopping list" }) : kept;
    expect(deleted.content).toEqual([{ type: "text", text: 'Deleted "shopping list".' }]);
    const again = await callTool("delete_note", { title: "shopping list" });
    expect(again).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^No note/) as string }],
    });
  });
});
