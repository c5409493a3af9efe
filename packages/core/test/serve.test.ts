import { describe, expect, it } from "vitest";
import { createServer, type Context } from "../src/index.ts";
import { serve } from "../src/serve.ts";
import { createMemoryPair } from "../src/testing.ts";
import { settled, skipWaits } from "./transcript.ts";

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta } } as const;

describe("a connection", () => {
  it("knows whether it is idle, and when the client is gone", async () => {
    let letGo: (text: string) => void = () => undefined;
    const run = (): Promise<string> => new Promise((resolve) => (letGo = resolve));
    const server = createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });
    const [near, far] = createMemoryPair();
    const connection = serve(server, far);
    expect(connection.isIdle).toBe(true);
    near.start({ message: () => undefined, unreadable: () => undefined, closed: () => undefined });
    near.send(CALL);
    await settled();
    expect(connection.isIdle).toBe(false);
    letGo("done");
    await settled();
    expect(connection.isIdle).toBe(true);
    await near.close();
    await expect(connection.closed).resolves.toBeUndefined();
  });

  it("lets requests finish for as long as it was told, after the client has gone", async () => {
    skipWaits();
    const log: string[] = [];
    const run = (_: never, { signal }: Context): Promise<string> =>
      new Promise(() => signal.addEventListener("abort", () => log.push("abort")));
    const server = createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });
    const [near, far] = createMemoryPair();
    serve(server, far, { graceMs: 1500 });
    near.send(CALL);
    await near.close();
    await settled();
    expect(log).toEqual([]);
    await settled(1500);
    expect(log).toEqual(["abort"]);
  });
});
