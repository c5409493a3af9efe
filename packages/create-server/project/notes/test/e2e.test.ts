import { fileURLToPath } from "node:url";
import { type Client, spawnServer } from "@suite/server-kit/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

describe.each(REVISIONS)("the built server, in revision %s", (revision) => {
  const logged: unknown[] = [];
  let client: Client;

  beforeAll(async () => {
    const onLog = (message: object): unknown => logged.push(message);
    client = await spawnServer(process.execPath, { args: [PROGRAM], revision, onLog });
  });
  afterAll(() => client.close());

  it("speaks it", () => {
    expect(client.agreement.revision).toBe(revision);
  });

  it("lists its tools", async () => {
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toEqual(["save_note", "delete_note"]);
  });

  it("saves a note, and logs it", async () => {
    await client.setLogLevel("info");
    const { content } = await client.callTool("save_note", { title: "first", text: "Hello" });
    expect(content).toMatchObject([{ type: "text", text: "Saved note:///first" }]);
    expect(logged).toMatchObject([{ level: "info", data: { event: "changed", changed: ["note:///first"] } }]);
  });

  it("has a resource and a template", async () => {
    const [template] = await client.listResourceTemplates();
    expect(template?.uriTemplate).toBe("note:///{title}");
    expect((await client.readResource("note:///")).contents).toMatchObject([{ text: "welcome\nfirst" }]);
    expect((await client.readResource("note:///first")).contents).toMatchObject([{ text: "Hello" }]);
  });

  it("has a prompt", async () => {
    const { messages } = await client.getPrompt("summarize_note", { title: "first", style: "haiku" });
    expect(messages).toMatchObject([{ content: { text: "Summarize this note as haiku:\n\nHello" } }]);
  });

  it("completes arguments", async () => {
    const title = await client.complete({ template: "note:///{title}" }, { name: "title", value: "fi" });
    expect(title.values).toEqual(["first"]);
    const style = await client.complete({ prompt: "summarize_note" }, { name: "style", value: "h" });
    expect(style.values).toEqual(["haiku"]);
  });

  it("says what is wrong", async () => {
    const { isError, content } = await client.callTool("delete_note", { title: "second" });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("There are: welcome, first.");
  });
});
