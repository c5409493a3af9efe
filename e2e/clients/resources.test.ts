import { until } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { EVERYTHING } from "../support/servers.ts";
import { connectForSuite } from "./for-suite.ts";
import { MATRIX } from "./matrix.ts";

/** Follows cursors to the end; the second generation has no more to follow after the first page. */
async function listAll<T>(
  list: (params: { cursor?: string } | undefined) => Promise<{ readonly nextCursor?: string | undefined }>,
  key: string,
): Promise<readonly T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await list(cursor === undefined ? undefined : { cursor });
    items.push(...((page as unknown as Record<string, T[]>)[key] ?? []));
    cursor = page.nextCursor;
    if (cursor === undefined) return items;
  }
}

describe.each(MATRIX)("resources and prompts, read by $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);
  // The second generation shows its callers the modern code, whichever came over the wire.
  const notFound = pairing.label.startsWith("SDK v1") ? -32002 : -32602;

  it("are listed in full", async () => {
    const { client } = outsider();
    const resources = await listAll<{ uri: string }>((params) => client.listResources(params), "resources");
    const uris = resources.map(({ uri }) => uri);
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris).toEqual(expect.arrayContaining(["demo:///text", "demo:///blob", "demo:///cities/ch/Bern"]));
    const templates = await listAll<{ uriTemplate: string }>(
      (params) => client.listResourceTemplates(params),
      "resourceTemplates",
    );
    expect(templates.length).toBeGreaterThan(10);
    const prompts = await listAll<{ name: string }>((params) => client.listPrompts(params), "prompts");
    expect(prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["plain", "greeting", "numbered-11"]),
    );
  });

  it("are text or bytes", async () => {
    const { client } = outsider();
    expect((await client.readResource({ uri: "demo:///text" })).contents).toMatchObject([{ text: "hello" }]);
    const { contents } = await client.readResource({ uri: "demo:///every-byte" });
    const bytes = Buffer.from(String(contents[0]?.["blob"]), "base64");
    expect([...bytes]).toEqual(Array.from({ length: 256 }, (_, value) => value));
    expect((await client.readResource({ uri: "demo:///several" })).contents).toHaveLength(2);
    const city = await client.readResource({ uri: `demo:///cities/ch/${encodeURIComponent("Zürich")}` });
    expect(city.contents).toMatchObject([{ text: "This is Zürich" }]);
  });

  it("are missing with the revision's own code", async () => {
    const { client } = outsider();
    const nowhere = { uri: "demo:///nowhere" };
    const message = expect.stringContaining("Resource not found: demo:///nowhere") as string;
    await expect(client.readResource(nowhere)).rejects.toMatchObject({ code: notFound, message });
    await expect(client.readResource({ uri: "demo:///broken" })).rejects.toThrow(/^(?!.*secret)/);
  });

  it("are watched while somebody listens", async () => {
    const { callTool, notified, listen } = outsider();
    const updates = (): number =>
      notified.filter(({ method }) => method === "notifications/resources/updated").length;
    const listening = await listen(["demo:///counter"]);
    await callTool("count");
    await until(() => updates() === 1, "the update");
    await callTool("touch", { uri: "demo:///text" });
    expect(updates()).toBe(1);
    await listening.close();
    await callTool("count");
    const { structuredContent, content } = await callTool("journal");
    const journal = (structuredContent ?? JSON.parse(String(content[0]?.["text"]))) as { watches: object };
    expect(journal.watches).toEqual({ started: 1, stopped: 1 });
    expect(updates()).toBe(1);
  });

  it("are completed, in the light of what is known already", async () => {
    const { client } = outsider();
    const ref = { type: "ref/resource", uri: "demo:///cities/{country}/{city}" } as const;
    const argument = { name: "city", value: "B" };
    const all = await client.complete({ ref, argument });
    expect(all.completion.values).toEqual(["Basel", "Bern", "Boston"]);
    const swiss = await client.complete({ ref, argument, context: { arguments: { country: "ch" } } });
    expect(swiss.completion.values).toEqual(["Basel", "Bern"]);
    const prompt = { type: "ref/prompt", name: "completing" } as const;
    const many = await client.complete({ ref: prompt, argument: { name: "many", value: "value" } });
    expect(many.completion.values).toHaveLength(100);
    expect(many.completion.total).toBe(250);
    const wrong = { name: "no_such_argument", value: "" };
    await expect(client.complete({ ref: prompt, argument: wrong })).rejects.toMatchObject({ code: -32602 });
  });

  it("and prompts come with all their messages", async () => {
    const { client } = outsider();
    const { description, messages } = await client.getPrompt({
      name: "greeting",
      arguments: { name: "Ada" },
    });
    expect(description).toBe("Greets Ada");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect((await client.getPrompt({ name: "every_content" })).messages).toHaveLength(6);
    await expect(client.getPrompt({ name: "greeting" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt({ name: "no_such_prompt" })).rejects.toMatchObject({ code: -32602 });
  });
});
