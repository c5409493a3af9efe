import { fileURLToPath } from "node:url";

import { PATIENCE_MS, until } from "@suite/check/wires";
import { ChildTransport, connect, TimeoutError, type Client, type ConnectOptions } from "@suite/core/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isRunning } from "./outsider.ts";

const peer = (name: string): string =>
  fileURLToPath(new URL(`../dist/clients/peers/${name}.js`, import.meta.url));

interface PeerCase {
  readonly name: string;
  /** Undefined: the client finds out by itself. */
  readonly pin: string | undefined;
  readonly revision: string;
  readonly era: string;
}

const PEERS: readonly PeerCase[] = [
  { name: "sdk-v1", pin: undefined, revision: "2025-11-25", era: "legacy" },
  { name: "sdk-v1", pin: "2024-11-05", revision: "2024-11-05", era: "legacy" },
  { name: "sdk-v1", pin: "2025-06-18", revision: "2025-06-18", era: "legacy" },
  { name: "sdk-v2", pin: undefined, revision: "2026-07-28", era: "modern" },
  { name: "sdk-v2", pin: "2025-11-25", revision: "2025-11-25", era: "legacy" },
];

async function openPeer(
  name: string,
  options: ConnectOptions,
): Promise<{ readonly client: Client; readonly pid: number }> {
  const transport = new ChildTransport(process.execPath, { args: [peer(name)], stderr: "ignore" });
  return { client: await connect(transport, options), pid: transport.pid ?? 0 };
}

describe.each(PEERS)("our client and a server on $name, asked for $pin", ({ name, pin, revision, era }) => {
  let client: Client;
  let pid = 0;
  let word: string | undefined = "hello";
  const logged: unknown[] = [];
  const textOf = async (tool: string, args?: object): Promise<unknown> =>
    (await client.callTool(tool, args)).content[0];

  beforeAll(async () => {
    ({ client, pid } = await openPeer(name, {
      ...(pin !== undefined && { revision: pin }),
      // Both answer, however long a busy machine takes to start them.
      probeMs: PATIENCE_MS,
      elicit: () => (word === undefined ? { action: "decline" } : { action: "accept", content: { word } }),
      roots: [{ uri: "file:///home" }],
      onLog: ({ data }) => logged.push(data),
    }));
  });

  afterAll(async () => {
    await client.close();
    if (isRunning(pid)) throw new Error(`Process ${pid} outlived its client`);
  });

  it("agree on the revision", () => {
    expect(client.agreement).toMatchObject({ revision, era });
    expect(client.agreement.server).toMatchObject({ info: { name }, instructions: "Be kind." });
    expect(client.agreement.server.capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {} });
  });

  it("list and call tools", async () => {
    expect((await client.listTools()).map((tool) => tool.name)).toEqual(
      expect.arrayContaining(["echo", "ask"]),
    );
    const result = await client.callTool("echo", { text: "hi" });
    expect(result.structuredContent).toEqual({ text: "hi" });
    expect((await client.callTool("echo", {})).isError).toBe(true);
  });

  it("share resources and prompts", async () => {
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["demo:///page"]);
    expect((await client.readResource("demo:///page")).contents).toMatchObject([{ text: "a page" }]);
    await expect(client.readResource("demo:///none")).rejects.toThrow(/not found/i);
    expect((await client.listPrompts()).map((prompt) => prompt.name)).toEqual(["greet"]);
    const { messages } = await client.getPrompt("greet", { name: "Ada" });
    expect(messages).toMatchObject([{ content: { text: "Greet Ada" } }]);
  });

  it("report progress", async () => {
    const steps: unknown[] = [];
    await client.callTool("steps", { count: 3 }, { onProgress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
  });

  it("ask the user, who accepts or declines", async () => {
    word = "hello";
    expect(await textOf("ask")).toMatchObject({ text: "accept hello" });
    word = undefined;
    expect(await textOf("ask")).toMatchObject({ text: "decline undefined" });
  });

  it("ask for roots", async () => {
    expect(await textOf("roots")).toMatchObject({ text: "file:///home" });
  });

  it("log", async () => {
    await client.setLogLevel("info");
    await client.callTool("log");
    await until(() => logged.length > 0, "the log");
    expect(logged).toEqual(["careful"]);
  });

  it("cancel", async () => {
    const controller = new AbortController();
    const call = client.callTool("wait", {}, { signal: controller.signal });
    const outcome = call.catch((thrown: unknown) => thrown);
    await client.callTool("echo", { text: "so that the call has arrived" });
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    await until(async () => JSON.stringify(await textOf("aborted")).includes("wait"), "the abort");
  });

  it("hear of changes", async () => {
    let changes = 0;
    const watching = await client.watchList("tools", () => (changes += 1));
    await client.callTool("grow");
    await until(() => changes > 0, "the change");
    expect(await textOf("grown")).toMatchObject({ text: "grown" });
    await watching.close();
  });
});

describe("our client and a server that keeps silent about what it does not know", () => {
  it("fall back to the handshake when the probe is not answered in time", async () => {
    const { client, pid } = await openPeer("silent", { probeMs: 300 });
    expect(client.agreement).toMatchObject({ revision: "2024-11-05", era: "legacy" });
    expect(await client.listTools()).toMatchObject([{ name: "nothing" }]);
    await client.close();
    expect(isRunning(pid)).toBe(false);
  });

  it("give up, and leave nothing running, when only the modern era will do", async () => {
    const transport = new ChildTransport(process.execPath, { args: [peer("silent")], stderr: "ignore" });
    const opening = connect(transport, { revision: "2026-07-28", timeoutMs: 300 });
    await expect(opening).rejects.toThrow(TimeoutError);
    expect(isRunning(transport.pid ?? 0)).toBe(false);
  });
});
