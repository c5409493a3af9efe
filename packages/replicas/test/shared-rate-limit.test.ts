import { createServer, StoreUnavailable } from "@suite/core";
import { createFetchHandler } from "@suite/core/http";
import type { TakenTokens } from "@suite/core/replicas";
import { afterEach, describe, expect, it, vi } from "vitest";

import { MemoryStore, Replica } from "../src/index.ts";
import { SharedRateLimit } from "../src/shared-rate-limit.ts";
import { credulous } from "./replicas.ts";
import { toModernPost } from "./support.ts";

/** A store that several have, and that answers later, or not at all. */
class DistantStore extends MemoryStore {
  isAway = false;
  asked = 0;

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
  it("is one for all replicas and for each caller", async () => {
    const store = new DistantStore();
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

describe("tokens taken ahead", () => {
  afterEach(() => void vi.useRealTimers());

  const replicas = (): { store: DistantStore; one: SharedRateLimit; other: SharedRateLimit } => {
    vi.useFakeTimers();
    const store = new DistantStore();
    return { store, one: new SharedRateLimit(600, store), other: new SharedRateLimit(600, store) };
  };

  const admitted = async (count: number, ...limits: readonly SharedRateLimit[]): Promise<number> => {
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
