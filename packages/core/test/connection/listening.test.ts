import { describe, expect, it } from "vitest";
import { createServer, defineResource } from "../../src/index.ts";
import { serve } from "../../src/serve.ts";
import { createMemoryPair, Line, openLine } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { heardOn, isCalled, settled } from "../transcript.ts";
import { createHesitant, watched } from "../watched.ts";

const ID = "io.modelcontextprotocol/subscriptionId";

const listen = (line: Line, ...uris: readonly unknown[]): Promise<unknown> =>
  line.request("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });

describe("a listen stream", () => {
  it("does not begin after the end of the connection, however long it was looked at", async () => {
    const { server, log, admit } = createHesitant("subscriptions/listen");
    const line = await openLine(server, { revision: MODERN });
    void listen(line, "mem://a").catch(() => undefined);
    await settled();
    await line.close();
    await settled();
    admit();
    await settled();
    expect(log).toEqual([]);
  });

  it("leaves out what cannot be watched, and fails only if nothing else is left", async () => {
    const log: string[] = [];
    const subscribe = (): never => {
      throw new Error("no more watchers");
    };
    const broken = defineResource({ uri: "mem://b", name: "b", read: () => "x", subscribe });
    const onError = (thrown: unknown): void => void log.push(String(thrown));
    const server = createServer({
      name: "s",
      version: "1",
      resources: [watched("mem://a", log), broken],
      onError,
    });
    const line = await openLine(server, { revision: MODERN });
    expect(await listen(line, "mem://b")).toMatchObject({ error: { code: -32603 } });
    log.length = 0;
    void listen(line, "mem://b", "mem://a").catch(() => undefined);
    await settled();
    expect(heardOn(line).at(-1)).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { resourceSubscriptions: ["mem://a"] } },
    });
    await line.close();
    await settled();
    expect(log).toEqual(["start mem://a", "Error: no more watchers", "stop mem://a"]);
  });

  it("ends with a result when the server goes", async () => {
    const log: string[] = [];
    const [near, far] = createMemoryPair();
    const connection = serve(
      createServer({ name: "s", version: "1", resources: [watched("mem://a", log)] }),
      far,
    );
    const line = new Line(near, { revision: MODERN });
    const listening = listen(line, "mem://a");
    await settled();
    expect(connection.isIdle).toBe(true);
    await connection.close();
    expect(await listening).toMatchObject({ id: 1, result: { resultType: "complete", _meta: { [ID]: 1 } } });
    expect(await line.hear(isCalled("notifications/cancelled"))).toMatchObject({ params: { requestId: 1 } });
    expect(log).toEqual(["start mem://a", "stop mem://a"]);
  });

  it.each([[[7]], [["mem://a", "b", "c", "d"]]])("needs a list of URIs, not too long: %j", async (uris) => {
    const log: string[] = [];
    const [resources, limits] = [[watched("mem://a", log)], { subscriptions: 3 }];
    const line = await openLine(createServer({ name: "s", version: "1", resources, limits }), {
      revision: MODERN,
    });
    expect(await listen(line, ...uris)).toMatchObject({ error: { code: -32602 } });
    expect(log).toEqual([]);
  });
});
