import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ConnectOptions } from "../../src/client.ts";
import { createServer, type Context, type Server } from "../../src/index.ts";
import { connectInMemory } from "../../src/testing.ts";
import { LEGACY, MODERN, REVISIONS } from "../revisions.ts";
import { settled } from "../transcript.ts";

const schema = z.object({ name: z.string() });

function createAsking(): Server {
  const tools = {
    name: async ({ elicit }: Context) => {
      const answer = await elicit({ message: "Who?", schema });
      return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
    },
    model: async ({ sample }: Context) =>
      (await sample({ messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 9 }))
        .model,
    endless: async ({ elicit }: Context) => {
      for (let round = 0; ; round += 1)
        await elicit({ message: `Round ${round}`, schema }, { key: `k${round}` });
    },
  };
  return createServer({
    name: "s",
    version: "1",
    tools: Object.entries(tools).map(([name, run]) => ({
      name,
      description: "…",
      run: (_: never, context: Context) => run(context),
    })),
  });
}

describe.each(REVISIONS)("a client in %s", (revision) => {
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
