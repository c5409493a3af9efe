import {
  callTool,
  capabilitiesOf,
  CAPABLE,
  type Fields,
  isOf,
  listAll,
  listen,
  notificationsSince,
  subscriptionOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { BARE, EVERYTHING, NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { disturb } from "./disturb.ts";
import { freshJournal } from "./fresh-journal.ts";
import { verify } from "./verify.ts";

const CHANGED = "notifications/prompts/list_changed";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MIME = /^[a-z]+\/[a-z0-9.+-]+$/;

/** The blocks of one kind that the prompt with every kind of content has. */
async function blocks(wire: Wire, type: string): Promise<readonly Fields[]> {
  const { result } = await wire.request("prompts/get", { name: "every_content" });
  const messages = result?.["messages"] as { readonly role: string; readonly content: Fields }[];
  expect(messages.every(({ role }) => role === "user")).toBe(true);
  return messages.map(({ content }) => content).filter((content) => content["type"] === type);
}

verify("prompts/capability-declared", "declares prompts when it has some", async ({ shared }) => {
  for (const server of [EVERYTHING, NOTES]) {
    const wire = await shared(server);
    expect(await listAll(wire, "prompts/list")).not.toHaveLength(0);
    expect(await capabilitiesOf(wire)).toHaveProperty("prompts");
  }
});

verify(
  "prompts/list-answered",
  "answers with an empty list when there are none",
  async ({ open }) => {
    const wire = await open();
    expect(await capabilitiesOf(wire)).toHaveProperty("prompts");
    expect((await wire.request("prompts/list")).result).toMatchObject({ prompts: [] });
  },
  { server: BARE },
);

verify(
  "prompts/list-same-for-all",
  "lists the same prompts to everybody, whatever happened before",
  async ({ open }) => {
    const one = await open();
    const other = await open({ capabilities: CAPABLE });
    const listed = await listAll(one, "prompts/list");
    await disturb(one);
    expect(await listAll(one, "prompts/list")).toEqual(listed);
    expect(await listAll(other, "prompts/list")).toEqual(listed);
  },
  { server: EVERYTHING },
);

verify(
  "prompts/list-changed",
  "says when the list has changed",
  async ({ open }) => {
    const wire = await open();
    expect(await capabilitiesOf(wire)).toMatchObject({ prompts: { listChanged: true } });
    for (const [change, isThere] of [
      ["add_prompt", true],
      ["remove_prompt", false],
    ] as const) {
      await callTool(wire, change);
      expect(await wire.hear(isOf(CHANGED))).not.toHaveProperty("id");
      const names = (await listAll<{ name: string }>(wire, "prompts/list")).map(({ name }) => name);
      expect(names.includes("extra_prompt")).toBe(isThere);
    }
    expect(notificationsSince(wire, 0)).toEqual([CHANGED, CHANGED]);
  },
  { server: EVERYTHING },
);

verify(
  "prompts/list-changed-to-listeners",
  "tells every stream that asked about changes of the list",
  async ({ open }) => {
    const wire = await open();
    const first = await listen(wire, { promptsListChanged: true });
    const second = await listen(wire, { promptsListChanged: true, toolsListChanged: true });
    await listen(wire, { toolsListChanged: true });
    await callTool(wire, "add_prompt");
    await callTool(wire, "no_arguments");
    expect(wire.heard.filter(isOf(CHANGED)).map(subscriptionOf)).toEqual([first, second]);
  },
  { server: EVERYTHING },
);

verify(
  "prompts/image-content",
  "sends images as base64 with their type",
  async ({ shared }) => {
    const [image] = await blocks(await shared(), "image");
    expect(image?.["data"]).toMatch(BASE64);
    expect(
      Buffer.from(image?.["data"] as string, "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    expect(image?.["mimeType"]).toBe("image/png");
  },
  { server: EVERYTHING },
);

verify(
  "prompts/audio-content",
  "sends audio as base64 with its type",
  async ({ shared }) => {
    const [audio] = await blocks(await shared(), "audio");
    expect(audio?.["data"]).toMatch(BASE64);
    expect(
      Buffer.from(audio?.["data"] as string, "base64")
        .subarray(0, 4)
        .toString(),
    ).toBe("RIFF");
    expect(audio?.["mimeType"]).toBe("audio/wav");
  },
  { server: EVERYTHING },
);

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
  { server: EVERYTHING },
);

verify(
  "prompts/unknown-name",
  "refuses an unknown prompt",
  async ({ shared }) => {
    const wire = await shared();
    for (const name of ["nobody", "", "Greeting", "toString", 5, undefined]) {
      expect((await wire.request("prompts/get", { name })).error?.code, String(name)).toBe(-32602);
    }
    expect((await wire.request("prompts/get", { name: "plain" })).result).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
    });
  },
  { server: EVERYTHING },
);

verify(
  "prompts/missing-argument",
  "refuses to do without a required argument",
  async ({ shared }) => {
    const wire = await shared();
    const journal = await freshJournal(wire);
    for (const args of [undefined, null, {}, { style: "formal" }]) {
      const { error } = await wire.request("prompts/get", { name: "greeting", arguments: args });
      expect(error?.code).toBe(-32602);
      expect(error?.message).toContain("name");
    }
    expect((await journal()).ran).toEqual([]);
    const { result } = await wire.request("prompts/get", { name: "greeting", arguments: { name: "Ann" } });
    expect(JSON.stringify(result)).toContain("Greet Ann in a friendly way.");
  },
  { server: EVERYTHING },
);

verify(
  "prompts/internal-error",
  "hides what a broken prompt threw",
  async ({ shared }) => {
    const wire = await shared();
    const journal = await freshJournal(wire);
    const { error } = await wire.request("prompts/get", { name: "broken" });
    expect(error?.code).toBe(-32603);
    expect(JSON.stringify(error)).not.toContain("secret");
    expect((await journal()).reported).toEqual(["The template at /secret/place is gone"]);
  },
  { server: EVERYTHING },
);

verify(
  "prompts/arguments-validated",
  "keeps arguments that are no strings from the prompt",
  async ({ shared }) => {
    const wire = await shared();
    const journal = await freshJournal(wire);
    const wrong = [
      { name: 5 },
      { name: null },
      { name: ["x"] },
      { name: "x", style: true },
      { name: "x", unheard: "y" },
      "x",
      [],
    ];
    for (const args of wrong) {
      const { error } = await wire.request("prompts/get", { name: "greeting", arguments: args });
      expect(error?.code, JSON.stringify(args)).toBe(-32602);
    }
    expect((await journal()).ran).toEqual([]);
    await wire.request("prompts/get", { name: "greeting", arguments: { name: "x" } });
    expect((await journal()).ran).toEqual(["greeting"]);
  },
  { server: EVERYTHING },
);
