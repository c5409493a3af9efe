import { describe, expect, it } from "vitest";
import { connect, type Client } from "../../src/client.ts";
import { createServer, defineResource, defineTool, type Middleware, type Server } from "../../src/index.ts";
import type { JSONRPCRequest, Params } from "../../src/jsonrpc/message.ts";
import { connectInMemory, createMemoryPair } from "../../src/testing.ts";
import { LEGACY, MODERN, REVISIONS } from "../revisions.ts";
import { settled } from "../transcript.ts";
import { still, watched } from "../watched.ts";

function createWatched(middleware: readonly Middleware[] = []): { server: Server; log: string[] } {
  const log: string[] = [];
  const server = createServer({
    name: "s",
    version: "1",
    tools: [],
    middleware,
    resources: [watched("mem://a", log), watched("mem://b", log), still],
  });
  return { server, log };
}

describe.each(REVISIONS)("a subscription in %s", (revision) => {
  it("is one of several to the same resource", async () => {
    const { server, log } = createWatched();
    const client = await connectInMemory(server, { revision });
    const changes = [0, 0];
    const [first, second] = await Promise.all(
      [0, 1].map((at) => client.subscribe("mem://a", () => (changes[at] = (changes[at] ?? 0) + 1))),
    );
    // Closing twice must not close the other one.
    await first?.close();
    await first?.close();
    await settled();
    server.resourceUpdated("mem://a");
    await settled();
    expect(changes).toEqual([0, 1]);
    await second?.close();
    await settled();
    expect(log).toEqual(["start mem://a", "stop mem://a"]);
  });

  it.each(["mem://still", "none://"])("to %s is refused, and leaves nothing behind", async (uri) => {
    const { server } = createWatched();
    const client = await connectInMemory(server, { revision });
    await expect(client.subscribe(uri, () => undefined)).rejects.toThrow(
      /cannot be subscribed|not found|no subscription/,
    );
    const subscription = await client.subscribe("mem://a", () => undefined);
    await subscription.close();
  });

  it("ends with the connection, although the watcher of another cannot be stopped", async () => {
    const log: string[] = [];
    const stuck = defineResource({
      uri: "mem://stuck",
      name: "stuck",
      read: () => "x",
      subscribe: () => () => {
        throw new Error("stuck");
      },
    });
    const server = createServer({
      name: "s",
      version: "1",
      resources: [stuck, watched("mem://a", log), watched("mem://b", log)],
      onError: (thrown) => log.push(String(thrown)),
    });
    const client = await connectInMemory(server, { revision });
    const uris = ["mem://stuck", "mem://a", "mem://b"];
    const all = await Promise.all(uris.map((uri) => client.subscribe(uri, () => undefined)));
    await client.close();
    await Promise.all(all.map(({ closed }) => closed));
    await settled();
    expect(log.slice(2)).toEqual(["Error: stuck", "stop mem://a", "stop mem://b"]);
  });

  it("may be to a list", async () => {
    const { server } = createWatched();
    const client = await connectInMemory(server, { revision });
    let changes = 0;
    const subscription = await client.watchList("tools", () => (changes += 1));
    await settled();
    const add = (name: string): void =>
      server.addTool(defineTool({ name, description: "…", run: () => "x" }));
    add("a");
    add("b");
    await settled();
    expect(changes).toBe(1);
    await subscription.close();
    add("c");
    await settled();
    expect(changes).toBe(1);
  });
});

describe.each(LEGACY)("subscriptions to one resource in %s", (revision) => {
  it("are refused together, and then asked for anew", async () => {
    let attempts = 0;
    const { server } = createWatched([
      (call, next) => {
        if (call.method === "resources/subscribe" && ++attempts === 1) throw new Error("not now");
        return next(call);
      },
    ]);
    const client = await connectInMemory(server, { revision });
    let changes = 0;
    const subscribe = () => client.subscribe("mem://a", () => (changes += 1));
    const refused = await Promise.allSettled([subscribe(), subscribe()]);
    expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await subscribe();
    server.resourceUpdated("mem://a");
    await settled();
    expect({ attempts, changes }).toEqual({ attempts: 2, changes: 1 });
  });

  it("are made after one that is just being closed", async () => {
    const { server } = createWatched([
      async (call, next) => {
        if (call.method === "resources/unsubscribe") await settled();
        return next(call);
      },
    ]);
    const client = await connectInMemory(server, { revision });
    const first = await client.subscribe("mem://a", () => undefined);
    let changes = 0;
    await Promise.all([first.close(), client.subscribe("mem://a", () => (changes += 1))]);
    server.resourceUpdated("mem://a");
    await settled();
    expect(changes).toBe(1);
  });
});

describe.each(["result", "cancellation"])("a subscription that the server ends with a %s", (how) => {
  const open = async (acknowledges: boolean): Promise<{ client: Client; heard: unknown[] }> => {
    const [near, far] = createMemoryPair();
    const heard: unknown[] = [];
    const receive = ({ id, method }: JSONRPCRequest): void => {
      heard.push(method);
      const answer = (result: Params): void => far.send({ jsonrpc: "2.0", id, result });
      const notify = (name: string, params: Params): void =>
        far.send({ jsonrpc: "2.0", method: `notifications/${name}`, params });
      if (method === "server/discover") return answer({ supportedVersions: [MODERN] });
      const _meta = { "io.modelcontextprotocol/subscriptionId": id };
      if (acknowledges) notify("subscriptions/acknowledged", { _meta, notifications: {} });
      if (how === "result") answer({ resultType: "complete", _meta });
      else notify("cancelled", { requestId: id });
    };
    far.start({
      message: (value) => receive(value as JSONRPCRequest),
      unreadable: () => undefined,
      closed: () => undefined,
    });
    return { client: await connect(near), heard };
  };

  it("is closed, and not cancelled in return", async () => {
    const { client, heard } = await open(true);
    const subscription = await client.watchList("tools", () => undefined);
    await subscription.closed;
    await settled();
    expect(heard).toEqual(["server/discover", "subscriptions/listen"]);
  });

  it("before it is acknowledged is refused", async () => {
    const { client } = await open(false);
    await expect(client.watchList("tools", () => undefined)).rejects.toThrow("ended the subscription");
  });
});
