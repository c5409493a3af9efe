import { describe, expect, it } from "vitest";
import { createServer, defineResource, defineTool, type Server } from "../../src/index.ts";
import { serve } from "../../src/serve.ts";
import { createMemoryPair, Line, openLine } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { heardOn, isCalled, settled } from "../transcript.ts";
import { createHesitant } from "../watched.ts";

const ID = "io.modelcontextprotocol/subscriptionId";

function createWatched(): { server: Server; log: string[]; change: () => void } {
  const log: string[] = [];
  let change: () => void = () => undefined;
  const resources = [
    defineResource({
      uri: "mem://a",
      name: "a",
      read: () => "x",
      subscribe(_uri, changed) {
        log.push("start");
        change = changed;
        return () => log.push("stop");
      },
    }),
    defineResource({ uri: "mem://still", name: "still", read: () => "x" }),
  ];
  const tools = [defineTool({ name: "t", description: "…", run: () => "x" })];
  return {
    server: createServer({ name: "s", version: "1", tools, resources, limits: { subscriptions: 3 } }),
    log,
    change: () => change(),
  };
}

const WANTED = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourceSubscriptions: ["mem://a", "mem://still", "none://"],
};

const listen = (line: Line, notifications: unknown = WANTED): Promise<unknown> =>
  line.request("subscriptions/listen", { notifications });
const addTool = (server: Server, name: string): void =>
  server.addTool(defineTool({ name, description: "…", run: () => "x" }));

describe("a listen stream", () => {
  it("does not begin after the end of the connection, however long it was looked at", async () => {
    const { server, log, admit } = createHesitant("subscriptions/listen");
    const line = await openLine(server, { revision: MODERN });
    void listen(line).catch(() => undefined);
    await settled();
    await line.close();
    await settled();
    admit();
    await settled();
    expect(log).toEqual([]);
  });

  it("leaves out what cannot be watched, and fails only if nothing else is left", async () => {
    const log: string[] = [];
    const resources = [
      defineResource({
        uri: "mem://a",
        name: "a",
        read: () => "x",
        subscribe: () => () => log.push("stop a"),
      }),
      defineResource({
        uri: "mem://b",
        name: "b",
        read: () => "x",
        subscribe() {
          throw new Error("no more watchers");
        },
      }),
    ];
    const onError = (thrown: unknown): void => void log.push(String(thrown));
    const server = createServer({ name: "s", version: "1", resources, onError });
    const line = await openLine(server, { revision: MODERN });
    expect(await listen(line, { resourceSubscriptions: ["mem://b"] })).toMatchObject({
      error: { code: -32603 },
    });
    log.length = 0;
    void listen(line, { resourceSubscriptions: ["mem://b", "mem://a"] }).catch(() => undefined);
    await settled();
    expect(heardOn(line).at(-1)).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { resourceSubscriptions: ["mem://a"] } },
    });
    expect(log).toEqual(["Error: no more watchers"]);
    await line.close();
    await settled();
    expect(log).toEqual(["Error: no more watchers", "stop a"]);
  });

  it("first says what it honours, and only that", async () => {
    const { server } = createWatched();
    const line = await openLine(server, { revision: MODERN });
    void listen(line).catch(() => undefined);
    expect(await line.hear()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        _meta: { [ID]: 1 },
        notifications: { toolsListChanged: true, resourceSubscriptions: ["mem://a"] },
      },
    });
  });

  it("ends without an answer when the client cancels it, and lets its watcher go", async () => {
    const { server, log } = createWatched();
    const line = await openLine(server, { revision: MODERN });
    void listen(line).catch(() => undefined);
    await settled();
    line.notify("notifications/cancelled", { requestId: 1 });
    await settled();
    addTool(server, "u");
    await settled();
    expect(heardOn(line)).toHaveLength(1);
    expect(log).toEqual(["start", "stop"]);
  });

  it("shares one watcher with all others", async () => {
    const { server, log } = createWatched();
    const lines = await Promise.all([1, 2].map(() => openLine(server, { revision: MODERN })));
    for (const line of lines) void listen(line).catch(() => undefined);
    await settled();
    await lines[0]?.close();
    await settled();
    expect(log).toEqual(["start"]);
    await lines[1]?.close();
    await settled();
    expect(log).toEqual(["start", "stop"]);
  });

  it("ends with a result when the server goes", async () => {
    const { server, log } = createWatched();
    const [near, far] = createMemoryPair();
    const connection = serve(server, far);
    const line = new Line(near, { revision: MODERN });
    const listening = listen(line);
    await settled();
    expect(connection.isIdle).toBe(true);
    await connection.close();
    expect(await listening).toMatchObject({ id: 1, result: { resultType: "complete", _meta: { [ID]: 1 } } });
    expect(await line.hear(isCalled("notifications/cancelled"))).toMatchObject({ params: { requestId: 1 } });
    expect(log).toEqual(["start", "stop"]);
  });

  it.each([7, null, [], "x"])("needs a filter: %j", async (notifications) => {
    const { server } = createWatched();
    const line = await openLine(server, { revision: MODERN });
    expect(await listen(line, notifications)).toMatchObject({ error: { code: -32602 } });
  });

  it.each(["mem://a", [7], ["mem://a", "b", "c", "d"]])(
    "needs a list of URIs, not too long: %j",
    async (uris) => {
      const { server, log } = createWatched();
      const line = await openLine(server, { revision: MODERN });
      expect(await listen(line, { resourceSubscriptions: uris })).toMatchObject({ error: { code: -32602 } });
      expect(log).toEqual([]);
    },
  );
});
