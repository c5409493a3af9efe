import { type Fields } from "@suite/check/wires";
import { expect } from "vitest";

import type { Wire } from "../support/wire.ts";
import { freshJournal } from "./fresh-journal.ts";
import { verify } from "./verify.ts";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MIME = /^[a-z]+\/[a-z0-9.+-]+$/;

/** The blocks of one kind that the prompt with every kind of content has. */
async function blocks(wire: Wire, type: string): Promise<readonly Fields[]> {
  const { result } = await wire.request("prompts/get", { name: "every_content" });
  expect(result).toHaveProperty("description", "One message for every kind of content");
  const messages = result?.["messages"] as { readonly role: string; readonly content: Fields }[];
  expect(messages.every(({ role }) => role === "user")).toBe(true);
  return messages.map(({ content }) => content).filter((content) => content["type"] === type);
}

verify("prompts/image-content", "sends images as base64 with their type", async ({ shared }) => {
  const [image] = await blocks(await shared(), "image");
  expect(image?.["data"]).toMatch(BASE64);
  expect(
    Buffer.from(image?.["data"] as string, "base64")
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  expect(image?.["mimeType"]).toBe("image/png");
});

verify("prompts/audio-content", "sends audio as base64 with its type", async ({ shared }) => {
  const [audio] = await blocks(await shared(), "audio");
  expect(audio?.["data"]).toMatch(BASE64);
  expect(
    Buffer.from(audio?.["data"] as string, "base64")
      .subarray(0, 4)
      .toString(),
  ).toBe("RIFF");
  expect(audio?.["mimeType"]).toBe("audio/wav");
});

verify(
  "prompts/embedded-resource",
  "embeds resources with URI, type and either text or bytes",
  async ({ shared }) => {
    // Revision 2024-11-05 has no audio and gets it as an embedded resource as well.
    const embedded = await blocks(await shared(), "resource");
    const resources = embedded.map(({ resource }) => resource as Fields);
    for (const { uri, mimeType } of resources) {
      expect(URL.canParse(uri as string)).toBe(true);
      expect(mimeType).toMatch(MIME);
    }
    const [text, blob] = resources.filter(({ uri }) => uri !== "attachment:audio");
    expect(text).toMatchObject({ text: "hello" });
    expect(text).not.toHaveProperty("blob");
    expect(blob?.["blob"]).toMatch(BASE64);
    expect(blob).not.toHaveProperty("text");
  },
);

verify("prompts/unknown-name", "refuses an unknown prompt", async ({ shared }) => {
  const wire = await shared();
  for (const name of ["nobody", "", "Greeting", "toString", 5, undefined]) {
    const message = typeof name === "string" ? `Unknown prompt: ${name}` : "name must be a string";
    expect((await wire.request("prompts/get", { name })).error).toEqual({ code: -32602, message });
  }
  expect((await wire.request("prompts/get", { name: "plain" })).result).toMatchObject({
    description: "One sentence from the user",
    messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
  });
});

verify("prompts/missing-argument", "refuses to do without a required argument", async ({ shared }) => {
  const wire = await shared();
  const journal = await freshJournal(wire);
  for (const args of [undefined, null, {}, { style: "formal" }]) {
    const { error } = await wire.request("prompts/get", { name: "greeting", arguments: args });
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain("name: is required");
  }
  expect((await journal()).ran).toEqual([]);
  const { result } = await wire.request("prompts/get", { name: "greeting", arguments: { name: "Ann" } });
  expect(result).toMatchObject({
    description: "Greets Ann",
    messages: [
      { role: "user", content: { type: "text", text: "Greet Ann in a friendly way." } },
      { role: "assistant", content: { type: "text", text: "Dear Ann" } },
    ],
    _meta: { "org.example/cost": 1 },
  });
});

verify("prompts/internal-error", "hides what a broken prompt threw", async ({ shared }) => {
  const wire = await shared();
  const journal = await freshJournal(wire);
  const { error } = await wire.request("prompts/get", { name: "broken" });
  expect(error).toEqual({ code: -32603, message: "Internal error" });
  expect((await journal()).reported).toEqual(["The template at /secret/place is gone"]);
  const refused = await wire.request("prompts/get", { name: "refusing" });
  expect(refused.error).toEqual({ code: -31998, message: "Not today" });
});

verify(
  "prompts/arguments-validated",
  "keeps arguments that are no strings from the prompt",
  async ({ shared }) => {
    const wire = await shared();
    const journal = await freshJournal(wire);
    const wrong: readonly (readonly [args: unknown, words: string])[] = [
      [{ name: 5 }, "name: expected a string"],
      [{ name: null }, "name: expected a string"],
      [{ name: ["x"] }, "name: expected a string"],
      [{ name: "x", style: true }, "style: expected a string"],
      [{ name: "x", constructor: "y" }, "constructor: unknown argument"],
      ["x", "arguments must be an object"],
      [[], "arguments must be an object"],
    ];
    for (const [args, words] of wrong) {
      const { error } = await wire.request("prompts/get", { name: "greeting", arguments: args });
      expect(error?.code, JSON.stringify(args)).toBe(-32602);
      expect(error?.message).toContain(words);
    }
    expect((await journal()).ran).toEqual([]);
    await wire.request("prompts/get", { name: "greeting", arguments: { name: "x" } });
    expect((await journal()).ran).toEqual(["greeting"]);
  },
);
