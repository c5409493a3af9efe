import { describe, expect, it } from "vitest";

import { DeferredServer, type ServerOutline } from "../src/deferred-server.ts";
import { createServer, defineTool, type Server } from "../src/index.ts";
import type { Params } from "../src/jsonrpc/message.ts";
import { suits } from "../src/model/capabilities.ts";
import type { Introduction } from "../src/revision/initialize.ts";
import { serve } from "../src/serve.ts";
import { createMemoryPair, openLine } from "../src/testing.ts";
import { REVISIONS } from "./revisions.ts";
import { resultOf, skipWaits } from "./transcript.ts";

const introduction: Introduction = {
  info: { name: "late", version: "1" },
  instructions: "Wait.",
  capabilities: { tools: { listChanged: true }, logging: {} },
};

const create = (): Server => {
  const { info, instructions = "" } = introduction;
  const wave = defineTool({ name: "wave", description: "Waves.", run: () => "o/" });
  return createServer({ ...info, instructions, tools: [wave] });
};

const wave = {
  name: "wave",
  description: "Waves.",
  inputSchema: { type: "object", additionalProperties: false },
} as const;

/** With a hand on the door. */
function createDeferred(
  make: () => Server = create,
  outline: ServerOutline = introduction,
): {
  server: DeferredServer;
  letIn: () => void;
  loads: () => number;
} {
  let loads = 0;
  let letIn = (): void => undefined;
  const opened = new Promise<void>((resolve) => (letIn = resolve));
  const server = new DeferredServer(outline, async () => {
    loads += 1;
    await opened;
    return make();
  });
  return { server, letIn: () => letIn(), loads: () => loads };
}

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "c", version: "1" },
};

describe("a deferred server", () => {
  it("answers initialize before it is loaded, and what follows in order once it is", async () => {
    const { server, letIn } = createDeferred();
    const line = await openLine(server);
    const { result } = (await line.request("initialize", initialize)) as { result?: object };
    expect(result).toMatchObject({ serverInfo: { name: "late" }, instructions: "Wait." });
    line.notify("notifications/initialized");
    line.say({ jsonrpc: "2.0", id: "a", method: "tools/list" });
    line.say({ jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "wave" } });
    letIn();
    const answers = [await line.hear(), await line.hear()];
    expect(answers).toMatchObject([
      { id: "a", result: { tools: [{ name: "wave" }] } },
      { id: "b", result: { content: [{ text: "o/" }] } },
    ]);
    expect(line.transcript.match(/"serverInfo"/g)).toHaveLength(1);
  });

  it.each(REVISIONS)("says in %s what the server would have said", async (revision) => {
    const { server, letIn } = createDeferred();
    const [early, late] = [await openLine(server), await openLine(create())];
    const params = { ...initialize, protocolVersion: revision };
    expect(await early.request("initialize", params)).toEqual(await late.request("initialize", params));
    letIn();
    expect(await early.request("tools/list")).toEqual(await late.request("tools/list"));
  });

  describe("whose tools are known", () => {
    const outline: ServerOutline = { ...introduction, tools: () => [wave] };

    it.each(REVISIONS)("lists them in %s as the server does, and is loaded afterwards", async (revision) => {
      skipWaits();
      const { server, letIn, loads } = createDeferred(create, outline);
      const [early, late] = [await openLine(server, { revision }), await openLine(create(), { revision })];
      expect(loads()).toBe(0);
      const answer = await early.request("tools/list");
      expect(answer).toEqual(await late.request("tools/list"));
      await expect.poll(loads).toBe(1);
      letIn();
      // From here on the server itself answers.
      await early.request("prompts/list");
      expect(await early.request("tools/list")).toMatchObject({
        result: (answer as { result: object }).result,
      });
    });

    it("is told what the client can do, and so is the server", async () => {
      const ask = defineTool({ name: "ask", description: "Asks.", needs: "sampling", run: () => "?" });
      const asking = (): Server => createServer({ ...introduction.info, tools: [ask] });
      const tools: ServerOutline["tools"] = (client) =>
        suits(ask, client) ? [{ ...wave, name: "ask" }] : [];
      for (const revision of REVISIONS) {
        const listed = async (capabilities: Params): Promise<unknown> => {
          const early = await openLine(createDeferred(asking, { ...introduction, tools }).server, {
            revision,
            capabilities,
          });
          const late = await openLine(asking(), { revision, capabilities });
          const lists = [await early.request("tools/list"), await late.request("tools/list")];
          return lists.map((list) => (resultOf(list)["tools"] as readonly unknown[]).length);
        };
        expect(await listed({ sampling: {} }), revision).toEqual([1, 1]);
        expect(await listed({}), revision).toEqual([0, 0]);
      }
    });

    it("is discovered as the server is", async () => {
      skipWaits();
      const { server, loads } = createDeferred(create, outline);
      const options = { revision: "2026-07-28" };
      const [early, late] = [await openLine(server, options), await openLine(create(), options)];
      expect(await early.request("server/discover")).toEqual(await late.request("server/discover"));
      expect(loads()).toBe(0);
    });

    it("leaves pages and progress to the server", async () => {
      for (const params of [{ cursor: "nowhere" }, { _meta: { progressToken: {} } }]) {
        const { server, letIn } = createDeferred(create, outline);
        letIn();
        const line = await openLine(server, { revision: "2025-11-25" });
        expect(await line.request("tools/list", params)).toMatchObject({ error: { code: -32602 } });
      }
    });

    it("is loaded after a while if nobody asks for them", async () => {
      skipWaits();
      const { server, loads } = createDeferred(create, outline);
      const line = await openLine(server);
      await line.request("initialize", initialize);
      expect(loads()).toBe(0);
      await expect.poll(loads).toBe(1);
    });
  });

  it("is loaded once for all connections, and with the first message only", async () => {
    const { server, letIn, loads } = createDeferred();
    const lines = [await openLine(server), await openLine(server)];
    await new Promise((resolve) => setImmediate(resolve));
    expect(loads()).toBe(0);
    letIn();
    for (const line of lines) {
      await line.request("initialize", initialize);
      expect(await line.request("tools/list")).toMatchObject({ result: { tools: [{ name: "wave" }] } });
    }
    expect(loads()).toBe(1);
  });

  it.each([
    ["a broken initialize", { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, -32602],
    ["a request before initialize", { jsonrpc: "2.0", id: 1, method: "tools/list" }, -32602],
    ["something that is no message", { jsonrpc: "2.0", id: {}, method: "initialize" }, -32600],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize }], -32600],
  ])("leaves %s to the server", async (_, message, code) => {
    const { server, letIn } = createDeferred();
    const line = await openLine(server);
    line.say(message);
    letIn();
    expect(await line.hear()).toMatchObject({ error: { code } });
  });

  it("sends unprompted messages the way that initialize came", async () => {
    let loaded: Server | undefined;
    const { server, letIn } = createDeferred(() => (loaded = create()));
    const line = await openLine(server);
    await line.request("initialize", initialize);
    line.notify("notifications/initialized");
    letIn();
    await line.request("ping");
    loaded?.listChanged("tools");
    expect(await line.hear()).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  });

  it("is busy as long as something waits for it", async () => {
    const { server, letIn } = createDeferred();
    const [near, far] = createMemoryPair();
    const heard: unknown[] = [];
    near.start({
      message: (value) => heard.push(value),
      unreadable: () => undefined,
      closed: () => undefined,
    });
    const connection = serve(server, far);
    near.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
    await expect.poll(() => heard.length).toBe(1);
    expect(connection.isIdle).toBe(true);
    near.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    await expect.poll(() => connection.isIdle).toBe(false);
    letIn();
    await expect.poll(() => connection.isIdle && heard.length).toBe(2);
  });

  it("tells whoever serves it that it cannot be loaded", async () => {
    const server = new DeferredServer(introduction, () => Promise.reject(new Error("no such file")));
    const line = await openLine(server);
    await line.request("initialize", initialize);
    await expect(server.failed).rejects.toThrow("no such file");
    await expect(server.dispose()).resolves.toBeUndefined();
  });

  it("disposes of what it has loaded", async () => {
    const disposed: string[] = [];
    const { server, letIn } = createDeferred(() =>
      createServer({ name: "late", version: "1", tools: [], dispose: () => void disposed.push("gone") }),
    );
    letIn();
    const line = await openLine(server);
    await line.request("initialize", initialize);
    await line.request("ping");
    await server.dispose();
    expect(disposed).toEqual(["gone"]);
  });
});
