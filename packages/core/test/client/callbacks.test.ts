import { describe, expect, it } from "vitest";
import { connect, type ConnectOptions } from "../../src/client.ts";
import { createCallbackRunner } from "../../src/client/callbacks.ts";
import { createServer, defineResource } from "../../src/index.ts";
import type { JSONRPCMessage, Params } from "../../src/jsonrpc/message.ts";
import { connectInMemory } from "../../src/testing.ts";
import { REVISIONS } from "../revisions.ts";
import { settled } from "../transcript.ts";
import { OPENED, openRawServer } from "./raw-server.ts";

const fail = (message: string) => (): never => {
  throw new Error(message);
};

const failLater = (message: string) => (): unknown => Promise.reject(new Error(message));

describe("a caller", () => {
  it("reports what is thrown, at once or later", async () => {
    const reported: unknown[] = [];
    const call = createCallbackRunner((thrown) => reported.push((thrown as Error).message));
    call(fail("now"));
    call(failLater("later"));
    expect(reported).toEqual(["now"]);
    await settled();
    expect(reported).toEqual(["now", "later"]);
  });

  it("throws neither without a listener nor because of one", () => {
    expect(() => createCallbackRunner()(fail("unheard"))).not.toThrow();
    expect(() => createCallbackRunner(fail("worse"))(fail("bad"))).not.toThrow();
  });
});

const notification = (method: string, params: Params): JSONRPCMessage => ({ jsonrpc: "2.0", method, params });
const logged = (data: string): JSONRPCMessage => notification("notifications/message", { data });

/** A server that says everything in one go, as on a busy line, the answer last. */
function connectBusy(options: ConnectOptions): ReturnType<typeof connect> {
  const server = openRawServer(({ id, method }, say) => {
    const answer = { jsonrpc: "2.0", id, result: OPENED } as const;
    if (method === "initialize") return say([answer, logged("early")]);
    say([notification("notifications/progress", { progressToken: id, progress: 1 }), logged("late"), answer]);
  });
  return connect(server, { revision: "2025-06-18", ...options });
}

describe("a callback that throws", () => {
  it("keeps neither the others nor the answer from being heard", async () => {
    const heard: unknown[] = [];
    const reported: string[] = [];
    const client = await connectBusy({
      onNotification: fail("onNotification"),
      onLog: ({ data }) => {
        heard.push(data);
        throw new Error("onLog");
      },
      onError: (thrown) => reported.push((thrown as Error).message),
    });
    const options = { timeoutMs: 60_000, onProgress: fail("onProgress") };
    expect(await client.request("tools/call", {}, options)).toEqual(OPENED);
    expect(heard).toEqual(["early", "late"]);
    const ofLog = ["onNotification", "onLog"];
    expect(reported).toEqual([...ofLog, "onProgress", "onNotification", ...ofLog]);
  });

  it("is no reason to fail where nobody wants to know", async () => {
    const client = await connectBusy({ onLog: fail("onLog") });
    expect(await client.request("tools/call", {}, { timeoutMs: 60_000 })).toEqual(OPENED);
  });

  it.each(REVISIONS)("leaves the other subscriptions alone in %s", async (revision) => {
    const resource = defineResource({ uri: "mem://a", name: "a", read: () => "x", subscribe: true });
    const server = createServer({ name: "s", version: "1", resources: [resource] });
    const reported: string[] = [];
    const onError = (thrown: unknown): void => void reported.push((thrown as Error).message);
    const client = await connectInMemory(server, { revision, onError });
    let changes = 0;
    await client.subscribe("mem://a", fail("first"));
    await client.subscribe("mem://a", failLater("second"));
    await client.subscribe("mem://a", () => (changes += 1));
    server.resourceUpdated("mem://a");
    await settled();
    expect(changes).toBe(1);
    expect(reported).toEqual(["first", "second"]);
  });
});

describe("log messages that come with the end of the opening", () => {
  it("are heard", async () => {
    const heard: unknown[] = [];
    const methods: string[] = [];
    await connectBusy({
      onLog: ({ data }) => heard.push(data),
      onNotification: (method) => methods.push(method),
    });
    expect(heard).toEqual(["early"]);
    expect(methods).toEqual(["notifications/message"]);
  });
});
