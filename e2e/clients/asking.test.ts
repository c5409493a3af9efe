import { isModern } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { EVERYTHING } from "../support/servers.ts";
import { connectForSuite } from "./for-suite.ts";
import { FORM_MATRIX, FORMLESS_MATRIX, MATRIX, URL_MATRIX } from "./matrix.ts";
import type { Outsider } from "./outsider.ts";

const SAID = { name: "Ada", email: "ada@example.org" };

async function textOf(outsider: Outsider, tool: string, args?: Record<string, unknown>): Promise<unknown> {
  return (await outsider.callTool(tool, args)).content[0]?.["text"];
}

describe.each(MATRIX)("questions of the server, answered by $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);

  it("may be for the client's model", async () => {
    const { answers, asked } = outsider();
    answers.sample = ({ messages }) => `heard ${(messages as unknown[]).length} messages`;
    expect(await textOf(outsider(), "sample_text", { prompt: "Hello" })).toBe("outsider: heard 3 messages");
    expect(asked.at(-1)?.params).toMatchObject({ maxTokens: 100, systemPrompt: "You are terse." });
  });

  it("may be about the roots, which may change", async () => {
    const { answers, client } = outsider();
    expect(await textOf(outsider(), "list_roots")).toBe("file:///one");
    answers.roots = [{ uri: "file:///one" }, { uri: "file:///two" }];
    // The modern era has nothing to say it with: there the server asks anew each time.
    if (!isModern(pairing.revision)) await client.sendRootsListChanged();
    expect(await textOf(outsider(), "list_roots")).toBe("file:///one\nfile:///two");
  });
});

describe.each(FORM_MATRIX)("forms, filled in by $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);

  it("are accepted, declined or dismissed", async () => {
    const { answers, asked } = outsider();
    answers.elicit = () => ({ action: "accept", content: SAID });
    expect(await textOf(outsider(), "ask_form")).toMatch(/^accept .*"name":"Ada"/);
    expect(asked.at(-1)?.params).toMatchObject({
      message: "Tell me about yourself",
      requestedSchema: { type: "object", required: ["name", "email"] },
    });
    for (const action of ["decline", "cancel"] as const) {
      answers.elicit = () => ({ action });
      expect(await textOf(outsider(), "ask_form")).toBe(action);
    }
  });

  it("may follow from one another", async () => {
    const { answers, asked } = outsider();
    const words = ["first", "second"];
    const before = asked.length;
    answers.elicit = () => ({ action: "accept", content: { word: words.shift() ?? "more" } });
    expect(await textOf(outsider(), "ask_twice", { topic: "words" })).toBe("first second");
    expect(asked.slice(before).map(({ params }) => params["message"])).toEqual([
      "A word about words?",
      "You said first. Another one?",
    ]);
  });

  it("may come side by side with other questions", async () => {
    outsider().answers.elicit = () => ({ action: "accept", content: { word: "yes" } });
    expect(await textOf(outsider(), "ask_side_by_side")).toBe('accept {"word":"yes"}, outsider, 1 roots');
  });

  it("may come from resources and prompts too", async () => {
    const { answers, client } = outsider();
    answers.elicit = () => ({ action: "accept", content: { name: "Ada" } });
    const { contents } = await client.readResource({ uri: "demo:///asking" });
    expect(contents).toMatchObject([{ text: "hello Ada" }]);
    answers.elicit = () => ({ action: "accept", content: { mood: "cheerful" } });
    const { messages } = await client.getPrompt({ name: "asking", arguments: { topic: "tea" } });
    expect(messages).toMatchObject([{ content: { text: "Write about tea, cheerful." } }]);
  });
});

describe.each(URL_MATRIX)("pages, visited by $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);

  it("are where the server sends the user", async () => {
    const { answers, asked } = outsider();
    answers.elicit = () => ({ action: "accept" });
    expect(await textOf(outsider(), "ask_url")).toBe("accept");
    expect(asked.at(-1)?.params).toMatchObject({ mode: "url", url: "https://example.org/sign-in" });
  });
});

describe.each(FORMLESS_MATRIX)("forms, unknown to $label", (pairing) => {
  const outsider = connectForSuite(pairing, EVERYTHING);

  it("are an error for the model to read", async () => {
    const { isError, content } = await outsider().callTool("ask_form");
    expect(isError).toBe(true);
    expect(content[0]?.["text"]).toMatch(/elicitation/);
    expect(outsider().asked).toEqual([]);
  });
});
