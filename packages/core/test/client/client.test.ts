import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TimeoutError, type ConnectOptions } from "../../src/client.ts";
import { createServer, definePrompt, defineResource, type Context, type Server } from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { connectInMemory } from "../../src/testing.ts";
import { isFrom, LEGACY, MODERN, REVISIONS } from "../revisions.ts";
import { settled, skipWaits } from "../transcript.ts";

const schema = z.object({ name: z.string() });

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function createAsking(log: string[] = []): Server {
  const tools = {
    name: async ({ elicit }: Context) => {
      const answer = await elicit({ message: "Who?", schema });
      return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
    },
    model: async ({ sample }: Context) =>
      (await sample({ messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 9 }))
        .model,
    roots: async ({ roots }: Context) => (await roots()).map(({ uri }) => uri).join(),
    endless: async ({ elicit }: Context) => {
      for (let round = 0; ; round += 1)
        await elicit({ message: `Round ${round}`, schema }, { key: `k${round}` });
    },
    wait: ({ signal }: Context) =>
      new Promise<string>(() => signal.addEventListener("abort", () => log.push("abort"))),
    progress: async ({ progress }: Context) => {
      for (const value of [1, 2, 3]) {
        progress(value, 3);
        await sleep(600);
      }
      return "done";
    },
    log: ({ log: say }: Context) => (say.debug("d"), say.error("e"), "done"),
  };
  return createServer({
    name: "s",
    version: "1",
    pageSize: 2,
    tools: Object.entries(tools).map(([name, run]) => ({
      name,
      description: "…",
      run: (_: never, context: Context) => run(context),
    })),
    prompts: [1, 2, 3].map((n) => definePrompt({ name: `p${n}`, render: () => `${n}` })),
    resources: [1, 2, 3].map((n) => defineResource({ uri: `a://${n}`, name: `${n}`, read: () => `${n}` })),
  });
}

const ANSWERS: ConnectOptions = {
  elicit: () => ({ action: "accept", content: { name: "Ada" } }),
  sample: () => ({ role: "assistant", model: "m1", content: { type: "text", text: "x" } }),
  roots: [{ uri: "file:///a" }],
};

describe.each(REVISIONS)("a client in %s", (revision) => {
  it("gathers all pages of a list", async () => {
    const client = await connectInMemory(createAsking(), { revision });
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names.join(" ")).toBe("name model roots endless wait progress log");
    expect(await client.listPrompts()).toHaveLength(3);
    expect(await client.listResources()).toHaveLength(3);
    expect(await client.listResourceTemplates()).toEqual([]);
  });

  it("reads, renders and calls", async () => {
    const client = await connectInMemory(createAsking(), { revision });
    expect(await client.readResource("a://2")).toMatchObject({ contents: [{ text: "2" }] });
    expect(await client.getPrompt("p3")).toMatchObject({ messages: [{ content: { text: "3" } }] });
    await expect(client.callTool("nope")).rejects.toMatchObject({
      code: -32602,
      message: "Unknown tool: nope",
    });
  });

  it("answers what the server asks, with the handlers it has", async () => {
    const client = await connectInMemory(createAsking(), { revision, ...ANSWERS });
    const text = async (name: string): Promise<unknown> => (await client.callTool(name)).content[0];
    expect(await text("model")).toMatchObject({ text: "m1" });
    expect(await text("roots")).toMatchObject({ text: "file:///a" });
    const refusal = expect.stringContaining("elicitation") as string;
    expect(await text("name")).toMatchObject({
      text: isFrom(revision, "2025-06-18") ? "Hello, Ada" : refusal,
    });
  });

  it("gives up in time, and the server with it", async () => {
    const log: string[] = [];
    const client = await connectInMemory(createAsking(log), { revision });
    await expect(client.callTool("wait", {}, { timeoutMs: 30 })).rejects.toBeInstanceOf(TimeoutError);
    await settled();
    expect(log).toEqual(["abort"]);
  });

  it("gives up when told to, and the server with it", async () => {
    const log: string[] = [];
    const client = await connectInMemory(createAsking(log), { revision });
    const controller = new AbortController();
    const calling = client.callTool("wait", {}, { signal: controller.signal });
    await settled();
    controller.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await settled();
    expect(log).toEqual(["abort"]);
    await expect(client.callTool("wait", {}, { signal: controller.signal })).rejects.toThrow("enough");
  });

  it.each(["close", "abort"] as const)("gives up while a handler works on an answer, on %s", async (how) => {
    const controller = new AbortController();
    let asked: (signal: AbortSignal) => void = () => undefined;
    const working = new Promise<AbortSignal>((resolve) => (asked = resolve));
    const client = await connectInMemory(createAsking(), {
      revision,
      sample: (_, signal) => (asked(signal), new Promise(() => undefined)),
    });
    const calling = client.callTool("model", {}, { signal: controller.signal });
    const ofHandler = await working;
    if (how === "close") void client.close();
    else controller.abort(new Error("enough"));
    await expect(calling).rejects.toThrow(how === "close" ? "is closed" : "enough");
    await settled();
    expect(ofHandler.aborted).toBe(true);
  });

  it("hears progress, which buys time", async () => {
    skipWaits();
    const client = await connectInMemory(createAsking(), { revision });
    const heard: unknown[] = [];
    const onProgress = ({ progress, total }: Params): void => void heard.push([progress, total]);
    expect(await client.callTool("progress", {}, { timeoutMs: 1000, onProgress })).toMatchObject({
      content: [{ text: "done" }],
    });
    expect(heard).toEqual([1, 2, 3].map((progress) => [progress, 3]));
  });

  it("hears what is logged, from the level it sets", async () => {
    const heard: unknown[] = [];
    const client = await connectInMemory(createAsking(), { revision, onLog: ({ data }) => heard.push(data) });
    await client.setLogLevel("error");
    await client.callTool("log");
    expect(heard).toEqual(["e"]);
    await client.setLogLevel("debug");
    await client.callTool("log");
    expect(heard).toEqual(["e", "d", "e"]);
  });

  it("rejects everything once it is closed, and says when that is", async () => {
    const client = await connectInMemory(createAsking(), { revision });
    const waiting = client.callTool("wait");
    await client.close();
    await client.closed;
    await expect(waiting).rejects.toThrow("The connection to the server is closed");
    await expect(client.listTools()).rejects.toThrow("The connection to the server is closed");
  });
});

describe("questions in the modern era", () => {
  it("have an end, also when the server has none", async () => {
    let asked = 0;
    const elicit = (): { action: "accept"; content: { name: string } } => (
      (asked += 1),
      { action: "accept", content: { name: "x" } }
    );
    const client = await connectInMemory(createAsking(), { revision: MODERN, elicit });
    await expect(client.callTool("endless")).rejects.toThrow("asked for input 16 times");
    expect(asked).toBe(16);
  });

  it("leave nothing on the signal of the call once they are answered", async () => {
    const controller = new AbortController();
    const given: AbortSignal[] = [];
    const elicit: ConnectOptions["elicit"] = (_params, signal) => {
      given.push(signal);
      return { action: "accept", content: { name: "x" } };
    };
    const client = await connectInMemory(createAsking(), { revision: MODERN, elicit });
    await client.callTool("name", {}, { signal: controller.signal });
    controller.abort();
    expect(given.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("that no handler answers fail the call", async () => {
    const client = await connectInMemory(createAsking(), { revision: MODERN });
    await expect(client.callTool("name")).rejects.toMatchObject({ code: -32021 });
  });

  it("that a handler fails at fail the call, with its own words", async () => {
    const elicit = (): never => {
      throw new Error("nobody is there");
    };
    const client = await connectInMemory(createAsking(), { revision: MODERN, elicit });
    await expect(client.callTool("name")).rejects.toThrow("nobody is there");
  });
});

describe.each(LEGACY)("questions in %s", (revision) => {
  it("that a handler fails at say nothing of why", async () => {
    const sample = (): never => {
      throw new Error("the key is sk-123");
    };
    const client = await connectInMemory(createAsking(), { revision, sample });
    const result = await client.callTool("model");
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain("sk-123");
  });
});
