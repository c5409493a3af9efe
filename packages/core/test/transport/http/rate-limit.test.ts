import { afterEach, describe, expect, it, vi } from "vitest";

import { Replica } from "../../../src/connection/replica.ts";
import { createFetchHandler } from "../../../src/serve-http.ts";
import { defineTool } from "../../../src/features/tool.ts";
import { createServer } from "../../../src/server.ts";
import { MemoryStore } from "../../../src/store/memory-store.ts";
import { StoreUnavailable, type TakenTokens } from "../../../src/store/store.ts";
import { RateLimit } from "../../../src/transport/http/rate-limit.ts";
import { toModernPost, toPost } from "./posting.ts";
import { credulous } from "./replicas.ts";

/** A store that several have, and that answers later, or not at all. */
class DistantStore extends MemoryStore {
  isAway = false;
  asked = 0;

  constructor() {
    super(true);
  }

  override take(...args: Parameters<MemoryStore["take"]>): never {
    this.asked += 1;
    const answer = async (): Promise<TakenTokens> => {
      if (this.isAway) throw new StoreUnavailable();
      return super.take(...args);
    };
    return answer() as never;
  }
}

function startReplica(store: MemoryStore): (who: string) => Promise<Response> {
  const server = createServer({ name: "t", version: "1", replica: new Replica(store), tools: [] });
  const handle = createFetchHandler(server, { authorizer: credulous, requestsPerMinute: 2 });
  return (authorization) =>
    handle(new Request("http://localhost/mcp", toModernPost("tools/list", {}, { authorization })));
}

const statuses = async (responses: readonly Promise<Response>[]): Promise<readonly number[]> =>
  (await Promise.all(responses)).map(({ status }) => status);

describe("a limit of requests over time", () => {
  it.each([
    ["at hand", new MemoryStore()],
    ["elsewhere", new DistantStore()],
  ] as const)("is one for all replicas and for each caller, in a store %s", async (_where, store) => {
    const [one, other] = [startReplica(store), startReplica(store)];
    expect(await statuses([one("alice"), other("alice")])).toEqual([200, 200]);
    const refused = await one("alice");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(await refused.json()).toMatchObject({
      id: 1,
      error: { message: "Too many requests: at most 2 a minute. Try again in 30 s" },
    });
    expect(await statuses([other("alice"), other("bob")])).toEqual([429, 200]);
  });

  it("is counted by each replica while the store is away", async () => {
    const store = new DistantStore();
    const [one, other] = [startReplica(store), startReplica(store)];
    store.isAway = true;
    expect(await statuses([one("alice"), one("alice"), other("alice")])).toEqual([200, 200, 200]);
    expect(await statuses([one("alice")])).toEqual([429]);
  });
});

describe("a batch", () => {
  it.each([
    ["at hand", () => new MemoryStore()],
    ["elsewhere", () => new DistantStore()],
  ] as const)("counts as all of its requests, or waits for all of them: in a store %s", async (_, create) => {
    const limit = new RateLimit(60, create());
    expect(await limit.take("alice", 58)).toBe(0);
    const wait = await limit.take("alice", 4);
    expect(wait).toBeGreaterThan(1000);
    expect(wait).toBeLessThanOrEqual(2000);
    // It has taken nothing.
    expect(await limit.take("alice", 2)).toBe(0);
    expect(await limit.take("alice")).toBeGreaterThan(0);
    expect(await limit.take("bob", 61)).toBe(Infinity);
    expect(await limit.take("bob", 60)).toBe(0);
  });

  it("of more than a minute brings is told so, and nothing of it runs", async () => {
    let runs = 0;
    const count = defineTool({ name: "count", description: "…", run: () => String((runs += 1)) });
    const server = createServer({ name: "t", version: "1", state: {}, tools: [count] });
    const handle = createFetchHandler(server, { requestsPerMinute: 5 });
    const send = (body: unknown, session?: string): Promise<Response> => {
      const own = session === undefined ? {} : { "mcp-session-id": session };
      return handle(new Request("http://localhost/mcp", toPost(body, own)));
    };
    const info = { capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const params = { protocolVersion: "2025-03-26", ...info };
    const opened = await send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    const session = opened.headers.get("mcp-session-id") ?? "";
    const toBatch = (length: number): object[] =>
      Array.from({ length }, (_, id) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "count" },
      }));
    const refused = await send(toBatch(6), session);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(await refused.text()).toContain("at most 5 a minute. Send fewer at once");
    expect(runs).toBe(0);
    expect((await send(toBatch(4), session)).status).toBe(200);
    expect(runs).toBe(4);
    expect((await send(toBatch(1), session)).status).toBe(429);
  });
});

describe("tokens taken ahead", () => {
  afterEach(() => void vi.useRealTimers());

  const replicas = (): { store: DistantStore; one: RateLimit; other: RateLimit } => {
    vi.useFakeTimers();
    const store = new DistantStore();
    return { store, one: new RateLimit(600, store), other: new RateLimit(600, store) };
  };

  const admitted = async (count: number, ...limits: readonly RateLimit[]): Promise<number> => {
    const waits = Array.from({ length: count }, async (_, index) =>
      limits[index % limits.length]?.take("alice"),
    );
    return (await Promise.all(waits)).filter((wait) => wait === 0).length;
  };

  it("take one question for as many requests as a second brings", async () => {
    const { store, one } = replicas();
    for (let count = 0; count < 30; count += 1) expect(await one.take("alice")).toBe(0);
    expect(store.asked).toBe(3);
  });

  it("are no more than there are, and those who wait ask together", async () => {
    const { store, one, other } = replicas();
    expect(await admitted(900, one, other)).toBe(600);
    // Each for a few, then for all that wait; and once more, by whoever got least, in vain.
    expect(store.asked).toBe(5);
  });

  it("are given back when they are not used", async () => {
    const { one, other } = replicas();
    expect(await admitted(1, one)).toBe(1);
    expect(await admitted(591, other)).toBe(590);
    await vi.advanceTimersByTimeAsync(1000);
    // Ten are new, and nine had been kept at the first.
    expect(await admitted(100, other)).toBe(19);
  });

  it("are not given to a store that they were not taken from", async () => {
    const { store, one, other } = replicas();
    expect(await admitted(600, other)).toBe(600);
    store.isAway = true;
    expect(await admitted(1, one)).toBe(1);
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(await admitted(100, other)).toBe(10);
  });
});
