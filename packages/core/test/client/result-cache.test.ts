import { describe, expect, it } from "vitest";

import { ResultCache } from "../../src/client/result-cache.ts";
import { createServer, defineTool, type ToolDefinition } from "../../src/index.ts";
import { connectInMemory } from "../../src/testing.ts";

const tool = (name: string): ToolDefinition => defineTool({ name, description: name, run: () => name });

describe("a client that keeps results", () => {
  it("lists from memory until it hears of a change", async () => {
    const server = createServer({ name: "t", version: "1", tools: [tool("one")] });
    const client = await connectInMemory(server, { caching: true });
    const forgetful = await connectInMemory(server, {});
    const count = async (who: typeof client): Promise<number> => (await who.listTools()).length;
    expect(await count(client)).toBe(1);
    server.addTool(tool("two"));
    expect(await count(client)).toBe(1);
    expect(await count(forgetful)).toBe(2);
    const watching = await client.watchList("tools", () => undefined);
    server.addTool(tool("three"));
    await expect.poll(() => count(client)).toBe(3);
    await watching.close();
    await Promise.all([client.close(), forgetful.close()]);
  });

  it("keeps no more than it may, and only what it may, for as long as it may", async () => {
    const cache = new ResultCache();
    const large = { ttlMs: 60_000, text: "x".repeat(3_000_000) };
    for (const uri of ["a", "b", "c"]) cache.keep("resources/read", { uri }, large);
    const found = ["a", "b", "c"].filter((uri) => cache.find("resources/read", { uri }));
    expect(found).toEqual(["b", "c"]);
    cache.hear("notifications/resources/updated", { uri: "b" });
    expect(cache.find("resources/read", { uri: "b" })).toBeUndefined();
    expect(cache.find("resources/read", { uri: "c" })).toBe(large);
    cache.keep("tools/call", {}, { ttlMs: 60_000 });
    cache.keep("tools/list", {}, {});
    cache.keep("prompts/list", {}, { ttlMs: 20 });
    expect(cache.find("tools/call", {})).toBeUndefined();
    expect(cache.find("tools/list", {})).toBeUndefined();
    await expect.poll(() => cache.find("prompts/list", {})).toBeUndefined();
  });
});
