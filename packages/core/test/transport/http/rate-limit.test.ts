import { describe, expect, it } from "vitest";

import { Replica } from "../../../src/connection/replica.ts";
import { createFetchHandler } from "../../../src/serve-http.ts";
import { createServer } from "../../../src/server.ts";
import { MemoryStore } from "../../../src/store/memory-store.ts";
import { StoreUnavailable } from "../../../src/store/store.ts";
import type { Authorizer } from "../../../src/transport/http/authorization.ts";
import { toModernPost } from "./posting.ts";

/** Everybody is who they say. */
const credulous: Authorizer = {
  authorize: async (exchange) => ({ principal: exchange.header("authorization") ?? "", scopes: ["read"] }),
  refuseScope: () => ({ status: 403, headers: {}, message: "no" }),
  serve: () => false,
};

/** A store that several have, and that answers later, or not at all. */
class DistantStore extends MemoryStore {
  isAway = false;

  constructor() {
    super(true);
  }

  override take(...args: Parameters<MemoryStore["take"]>): never {
    const answer = async (): Promise<number> => {
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
