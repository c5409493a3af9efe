import { describe, expect, it } from "vitest";
import { createServer, type Middleware, type Server } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY } from "../revisions.ts";
import { settled } from "../transcript.ts";
import { createHesitant, still, watched } from "../watched.ts";

function createWatched(): { server: Server; log: string[] } {
  const log: string[] = [];
  const resources = [watched("mem://a", log), watched("mem://b", log), watched("mem://c", log), still];
  return { server: createServer({ name: "s", version: "1", resources, limits: { subscriptions: 2 } }), log };
}

describe.each(LEGACY)("subscriptions in %s", (revision) => {
  it("are refused for what does not exist or does not change, and beyond the limit", async () => {
    const { server } = createWatched();
    const line = await openLine(server, { revision });
    const subscribe = (uri: string): Promise<unknown> => line.request("resources/subscribe", { uri });
    expect(await subscribe("none://")).toMatchObject({ error: { code: -32002, data: { uri: "none://" } } });
    expect(await subscribe("mem://still")).toMatchObject({ error: { code: -32602 } });
    await subscribe("mem://a");
    await subscribe("mem://b");
    expect(await subscribe("mem://c")).toMatchObject({ error: { code: -32602 } });
    await line.request("resources/unsubscribe", { uri: "mem://a" });
    expect(await subscribe("mem://c")).toMatchObject({ result: {} });
  });

  it("are to what the middleware made of the request", async () => {
    const log: string[] = [];
    const middleware: Middleware = (call, next) =>
      next(call.params["uri"] === "mem://alias" ? { ...call, params: { uri: "mem://a" } } : call);
    const resources = [watched("mem://a", log)];
    const server = createServer({ name: "s", version: "1", resources, middleware: [middleware] });
    const line = await openLine(server, { revision });
    await line.request("resources/subscribe", { uri: "mem://alias" });
    await line.request("resources/unsubscribe", { uri: "mem://alias" });
    expect(log).toEqual(["start mem://a", "stop mem://a"]);
  });

  it("do not begin after the end of the connection, however long they were looked at", async () => {
    const { server, log, admit } = createHesitant("resources/subscribe");
    const line = await openLine(server, { revision });
    void line.request("resources/subscribe", { uri: "mem://a" }).catch(() => undefined);
    await settled();
    await line.close();
    await settled();
    admit();
    await settled();
    expect(log).toEqual([]);
  });

  it("are no method of a server whose resources cannot be watched", async () => {
    const line = await openLine(createServer({ name: "s", version: "1", resources: [still] }), { revision });
    expect(await line.request("resources/subscribe", { uri: "mem://still" })).toMatchObject({
      error: { code: -32601 },
    });
  });
});
