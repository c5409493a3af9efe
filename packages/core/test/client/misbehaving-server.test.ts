import { describe, expect, it } from "vitest";
import { connect, TimeoutError, type ConnectOptions } from "../../src/client.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { skipWaits } from "../transcript.ts";
import { OPENED, openRawServer } from "./raw-server.ts";

const revision = "2025-06-18";

describe("a server that misbehaves", () => {
  const list = async (toPage: (page: number) => Params): Promise<readonly unknown[]> => {
    let page = 0;
    const server = openRawServer(({ id, method }, say) =>
      say({ jsonrpc: "2.0", id, result: method === "initialize" ? OPENED : toPage((page += 1)) }),
    );
    const client = await connect(server, { revision });
    return client.listTools();
  };
  const pages = (cursorOf: (page: number) => string): Promise<readonly unknown[]> =>
    list((page) => ({ tools: [{ name: "t" }], nextCursor: cursorOf(page) }));

  it("by giving the same cursor for ever is left", async () => {
    await expect(pages(() => "again")).rejects.toThrow("same cursor twice");
    await expect(pages((page) => `${page % 3}`)).rejects.toThrow("same cursor twice");
  });

  it("by giving ever new cursors is left after a thousand pages", async () => {
    await expect(pages((page) => `${page}`)).rejects.toThrow("returned 1000 pages without coming to an end");
  });

  it.each([{ result: "text" }, { result: null }, { result: {}, error: null }, { error: { code: "E" } }, {}])(
    "by answering with %j is left at once",
    async (answer) => {
      const server = openRawServer(({ id, method }, say) => {
        say({ id, level: "info" } as never);
        say({ jsonrpc: "2.0", id, ...(method === "initialize" ? { result: OPENED } : answer) } as never);
      });
      const client = await connect(server, { revision, timeoutMs: 1000 });
      await expect(client.listTools()).rejects.toThrow("The server's answer is not a valid response");
    },
  );

  it("by giving all in one huge page is heard", async () => {
    const tools = Array.from({ length: 300_000 }, () => ({ name: "t" }));
    expect(await list(() => ({ tools }))).toHaveLength(tools.length);
  });
});

describe("a server that makes progress without end", () => {
  /** Opens unless it is to make progress with that too. */
  const connectTo = async (method: string, options: ConnectOptions): Promise<unknown> => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const server = openRawServer((request, say) => {
      const { id } = request;
      if (request.method !== method) return say({ jsonrpc: "2.0", id, result: OPENED });
      let progress = 0;
      const params = (): Params => ({ progressToken: id, progress: (progress += 1) });
      timer = setInterval(
        () => say({ jsonrpc: "2.0", method: "notifications/progress", params: params() }),
        10,
      );
    });
    try {
      const client = await connect(server, { revision, ...options });
      return await client.request(method, {}, { timeoutMs: 100 });
    } finally {
      clearInterval(timer);
    }
  };

  it("is given up after longestMs", async () => {
    skipWaits();
    const calling = connectTo("tools/call", { longestMs: 300 });
    await expect(calling).rejects.toThrow(new TimeoutError("tools/call was not answered within 300 ms"));
  });

  it("buys no time in the opening", async () => {
    skipWaits();
    const opening = connectTo("initialize", { timeoutMs: 200 });
    await expect(opening).rejects.toThrow(new TimeoutError("initialize was not answered within 200 ms"));
  });
});

describe("the longest time of a request", () => {
  const call = async (options: ConnectOptions, timeoutMs: number): Promise<unknown> => {
    const server = openRawServer(({ id, method }, say) => {
      const answer = (): void => say({ jsonrpc: "2.0", id, result: OPENED });
      if (method === "initialize") answer();
      else setTimeout(answer, 200);
    });
    const client = await connect(server, { revision, ...options });
    return client.request("tools/call", {}, { timeoutMs });
  };

  it("is no shorter than the time-out that the request asks for", async () => {
    skipWaits();
    expect(await call({ longestMs: 50 }, 5000)).toEqual(OPENED);
    expect(await call({ longestMs: 50 }, Infinity)).toEqual(OPENED);
  });

  it("of one request overrides that of the connection", async () => {
    const server = openRawServer(({ id, method }, say) => {
      if (method === "initialize") say({ jsonrpc: "2.0", id, result: OPENED });
    });
    const client = await connect(server, { revision });
    const calling = client.request("tools/call", {}, { timeoutMs: 5000, longestMs: 30 });
    await expect(calling).rejects.toThrow("tools/call was not answered within 30 ms");
  });
});
