import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { until } from "@suite/check/wires";
import { type Client, connectHttp, spawnServer } from "@suite/core/client";
import { describe, expect, it } from "vitest";

import { undoAfterTest } from "../support/afterwards.ts";
import { freePort } from "../support/free-port.ts";
import { Program } from "../support/program.ts";

const HOME = dirname(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json"),
);
const EVERYTHING = join(HOME, "dist/index.js");
const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", undefined] as const;

const options = (revision: string | undefined): { readonly revision?: string } =>
  revision === undefined ? {} : { revision };

/** Listens in the way of its first argument. */
async function listen(way: "sse" | "streamableHttp", path: string): Promise<string> {
  const port = await freePort();
  const server = new Program([process.execPath, EVERYTHING, way], { PORT: String(port) });
  await server.heard(/listening|running on port/i);
  return `http://127.0.0.1:${port}${path}`;
}

const WAYS: { readonly [way: string]: (revision: string | undefined) => Promise<Client> } = {
  "standard streams": (revision) =>
    spawnServer(process.execPath, { ...options(revision), args: [EVERYTHING, "stdio"] }),
  // The client tries Streamable HTTP first.
  "HTTP+SSE of 2024-11-05": async (revision) => connectHttp(await listen("sse", "/sse"), options(revision)),
  "Streamable HTTP": async (revision) =>
    connectHttp(await listen("streamableHttp", "/mcp"), options(revision)),
};

describe.each(Object.keys(WAYS))("our client and the official server-everything over %s", (way) => {
  it.each(REVISIONS)("do everything in %s", async (revision) => {
    const client = await WAYS[way]!(revision);
    undoAfterTest(() => client.close());
    expect(client.agreement.revision).toBe(revision ?? "2025-11-25");
    const textOf = async (name: string, args: object): Promise<unknown> =>
      (await client.callTool(name, args)).content[0];
    expect((await client.listTools()).length).toBeGreaterThan(5);
    expect(await textOf("echo", { message: "hi" })).toMatchObject({ text: "Echo: hi" });
    const steps: unknown[] = [];
    const onProgress = ({ progress }: { readonly progress?: unknown }): void => void steps.push(progress);
    await client.callTool("trigger-long-running-operation", { duration: 0.1, steps: 2 }, { onProgress });
    await until(() => steps.length === 2, "The progress");
    const [resource] = await client.listResources();
    expect((await client.readResource(resource?.uri ?? "")).contents).toHaveLength(1);
    const prompts = (await client.listPrompts()).map(({ name }) => name);
    expect((await client.getPrompt(prompts[0] ?? "")).messages).not.toEqual([]);
  });
});
