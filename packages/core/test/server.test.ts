import { describe, expect, it } from "vitest";
import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type Context,
  type Server,
} from "../src/index.ts";
import { openLine } from "../src/testing.ts";
import { LEGACY, REVISIONS } from "./revisions.ts";
import { heardOn, resultOf, settled } from "./transcript.ts";

const tool = (name: string): ReturnType<typeof defineTool> =>
  defineTool({ name, description: "…", run: () => name });
const prompt = (name: string): ReturnType<typeof definePrompt> => definePrompt({ name, render: () => name });
const resource = (uri: string): ReturnType<typeof defineResource> =>
  defineResource({ uri, name: uri, read: () => uri });
const template = (uriTemplate: string): ReturnType<typeof defineResourceTemplate> =>
  defineResourceTemplate({ uriTemplate, name: uriTemplate, read: () => "x" });

const createAll = (): Server =>
  createServer({
    name: "s",
    version: "1",
    tools: [tool("a")],
    resources: [resource("a://a")],
    prompts: [prompt("a")],
  });

const notified = (messages: Record<string, unknown>[]): unknown[] =>
  messages.map(({ method }) => method).filter((method) => method !== undefined);

it("a server that cannot be made announces nothing later", async () => {
  const wrong = { ...tool("b"), descripton: "…" };
  expect(() => createServer({ name: "s", version: "1", tools: [tool("a"), wrong] })).toThrow("descripton");
  await settled();
});

it("lists no members that authors of plain JavaScript set to null", async () => {
  const none = { icons: null as never, annotations: null as never };
  const server = createServer({
    name: "s",
    version: "1",
    icons: none.icons,
    tools: [{ ...tool("a"), ...none }],
    resources: [{ ...resource("a://a"), ...none }],
    prompts: [{ ...prompt("a"), icons: none.icons }],
  });
  const line = await openLine(server, { revision: "2026-07-28" });
  for (const method of ["server/discover", "tools/list", "resources/list", "prompts/list"])
    expect(JSON.stringify(await line.request(method)), method).not.toMatch(/null|error/);
});

describe.each(LEGACY)("changes at run time in %s", (revision) => {
  it("are announced once a turn and kind, to every client that is ready", async () => {
    const server = createAll();
    const lines = await Promise.all([1, 2].map(() => openLine(server, { revision })));
    await settled();
    for (const name of ["b", "c", "d"]) server.addTool(tool(name));
    server.removeTool("a");
    server.addResource(resource("b://b"));
    server.addTemplate(template("c://{x}"));
    await settled();
    for (const line of lines) {
      expect(notified(heardOn(line))).toEqual([
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
      ]);
    }
    server.addPrompt(prompt("b"));
    await settled();
    for (const line of lines)
      expect(notified(heardOn(line)).at(-1)).toBe("notifications/prompts/list_changed");
  });

  it("that change nothing are not announced", async () => {
    const server = createAll();
    const line = await openLine(server, { revision });
    await settled();
    expect([
      server.removeTool("x"),
      server.removeResource("x"),
      server.removeTemplate("x"),
      server.removePrompt("x"),
    ]).toEqual([false, false, false, false]);
    await settled();
    expect(notified(heardOn(line))).toEqual([]);
  });
});

describe("groups", () => {
  it("that the server was made without cannot appear later", () => {
    const server = createServer({ name: "s", version: "1" });
    expect(() => server.addTool(tool("a"))).toThrow("create it with tools: []");
    expect(() => server.addTemplate(template("a://{x}"))).toThrow("create it with templates: []");
    expect(() => server.removePrompt("a")).toThrow("create it with prompts: []");
  });
});

describe("several connections", () => {
  it("share nothing but the server", async () => {
    const log: string[] = [];
    const run = (_: never, { requestId, client, signal }: Context): Promise<string> =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => log.push(`abort ${requestId}`));
        setTimeout(() => resolve(client.revision), 50);
      });
    const server = createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });
    const lines = await Promise.all(REVISIONS.map((revision) => openLine(server, { revision })));
    // The same id on every line.
    const answers = lines.map((line) => line.request("tools/call", { name: "t" }));
    lines[0]?.notify("notifications/cancelled", { requestId: 99 });
    const revisions = (await Promise.all(answers)).map(
      (response) => (resultOf(response)["content"] as { text: string }[])[0]?.text,
    );
    expect(revisions).toEqual(REVISIONS);
    expect(log).toEqual([]);
  });

  it("end one by one", async () => {
    const log: string[] = [];
    const run = (_: never, { client, signal }: Context): Promise<string> =>
      new Promise(() => signal.addEventListener("abort", () => log.push(client.revision)));
    const server = createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });
    const [first, second] = await Promise.all(
      ["2024-11-05", "2025-06-18"].map((revision) => openLine(server, { revision })),
    );
    for (const line of [first, second]) line?.begin("tools/call", { name: "t" });
    await settled();
    await first?.close();
    await settled();
    expect(log).toEqual(["2024-11-05"]);
    server.log.error("still here");
    await settled();
    expect(notified(heardOn(second as NonNullable<typeof second>))).toEqual(["notifications/message"]);
  });
});

describe("dispose", () => {
  it("ends every connection's work and frees the state, once the work is told", async () => {
    const log: string[] = [];
    const run = (_: never, { signal }: Context<string>): Promise<string> =>
      new Promise(() => signal.addEventListener("abort", () => log.push("abort")));
    const server = createServer({
      name: "s",
      version: "1",
      tools: [{ name: "t", description: "…", run }],
      state: "db",
      dispose: async (state) => void log.push(`dispose ${state}`),
    });
    const lines = await Promise.all(REVISIONS.map((revision) => openLine(server, { revision })));
    for (const line of lines) line.begin("tools/call", { name: "t" });
    await settled();
    await server.dispose();
    expect(log).toEqual([...REVISIONS.map(() => "abort"), "dispose db"]);
  });
});
