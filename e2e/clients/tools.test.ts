import { isModern, until } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { EVERYTHING } from "../support/servers.ts";
import { connectForSuite } from "./for-suite.ts";
import { isSince, MATRIX } from "./matrix.ts";

/** What each tool with an output schema gives; revisions before 2026-07-28 get all but objects wrapped. */
const STRUCTURED: { readonly [tool: string]: unknown } = {
  object_output: { city: "Bern", degrees: 21.5 },
  array_output: ["one", ["two"]],
  primitive_output: 42,
  null_output: null,
  worded_output: { sum: 3 },
};

describe.each(MATRIX)("tools, called by $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);
  const { revision } = pairing;
  const hasStructure = isSince(revision, "2025-06-18");

  it("are listed page by page, each once", async () => {
    const { client } = outsider();
    const names: string[] = [];
    let pages = 0;
    // An empty cursor would be one: the first page is asked for with none. The second generation gives all pages at once.
    for (let cursor: string | undefined; ;) {
      const { tools, nextCursor } = await client.listTools(cursor === undefined ? undefined : { cursor });
      names.push(...tools.map(({ name }) => name));
      pages += 1;
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    expect(names.length).toBeGreaterThan(30);
    expect(new Set(names).size).toBe(names.length);
    expect(pages).toBeGreaterThanOrEqual(pairing.label.startsWith("SDK v1") ? 4 : 1);
  });

  it("give structured results that the client finds valid", async () => {
    const { client, callTool } = outsider();
    let checked = 0;
    // The first generation remembers the schemas of the last page alone, so each page is tried before the next.
    for (let cursor: string | undefined; ;) {
      const { tools, nextCursor } = await client.listTools(cursor === undefined ? undefined : { cursor });
      for (const { name, outputSchema } of tools.filter((tool) => tool.name in STRUCTURED)) {
        expect(outputSchema !== undefined).toBe(hasStructure);
        const { structuredContent, content } = await callTool(name);
        const value = STRUCTURED[name];
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        const wrapped = isObject || isModern(revision) ? value : { result: value };
        expect(structuredContent).toEqual(hasStructure ? wrapped : undefined);
        expect(content).toHaveLength(1);
        checked += 1;
      }
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    expect(checked).toBe(Object.keys(STRUCTURED).length);
  });

  it("give every kind of content that the revision knows", async () => {
    const { content } = await outsider().callTool("every_content");
    const kinds = content.map(({ type }) => type);
    const audio = isSince(revision, "2025-03-26") ? "audio" : "resource";
    const link = isSince(revision, "2025-06-18") ? "resource_link" : "text";
    expect(kinds).toEqual(["text", "image", audio, link, "resource", "resource"]);
  });

  it("fail in words for the model", async () => {
    const { callTool } = outsider();
    for (const name of ["fail_for_the_model", "fail_by_accident", "broken_output", "failed_output"]) {
      const { isError, content } = await callTool(name);
      expect({ name, isError }).toEqual({ name, isError: true });
      expect(content[0]?.["text"]).toMatch(/\w/);
    }
    await expect(callTool("fail_as_protocol")).rejects.toMatchObject({ code: -31999 });
  });

  it("refuse arguments that they cannot take, and names that they do not have", async () => {
    const { callTool } = outsider();
    const { isError, content } = await callTool("Echo.text-1", { text: 5 });
    expect(isError).toBe(true);
    expect(content[0]?.["text"]).toMatch(/text/);
    await expect(callTool("no_such_tool")).rejects.toMatchObject({ code: -32602 });
    expect((await callTool("Echo.text-1", { text: "still here" })).content).toMatchObject([
      { text: "still here" },
    ]);
  });

  it("come and go, and the client is told", async () => {
    const { callTool, notified, listen, client } = outsider();
    const listening = await listen([]);
    const changes = ["tool", "prompt", "resource"] as const;
    for (const what of changes) await callTool(`add_${what}`);
    expect((await callTool("extra_tool")).content).toMatchObject([{ text: "extra" }]);
    expect((await client.readResource({ uri: "demo:///extra" })).contents).toMatchObject([{ text: "extra" }]);
    expect((await client.getPrompt({ name: "extra_prompt" })).messages).toHaveLength(1);
    for (const what of changes) await callTool(`remove_${what}`);
    const heard = (what: string): number =>
      notified.filter(({ method }) => method === `notifications/${what}s/list_changed`).length;
    await until(() => changes.every((what) => heard(what) === 2), "two changes of each list");
    await listening.close();
    await expect(callTool("extra_tool")).rejects.toMatchObject({ code: -32602 });
  });
});
