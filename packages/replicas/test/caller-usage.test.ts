import { expect, it } from "vitest";

import { Replica } from "../src/replica.ts";
import { MemoryStore } from "../src/memory-store.ts";
import { SharedUsage } from "../src/shared-usage.ts";

it("believes other replicas, and nothing that makes no sense", () => {
  const store = new MemoryStore();
  const replica = new Replica(store);
  const usage = new SharedUsage(replica, { requests: 2 });
  const requests = usage.limit("requests", 100);
  const say = (text: string): number => store.append("usage", text, { most: 100, ttlMs: 600_000 });
  for (const text of ["{not json", "null", "{}", '{"from":"another","has":7}']) say(text);
  say(JSON.stringify({ from: "another", has: { requests: { alice: 2, bob: 1 }, novelties: {} } }));
  const takesOf = (who: string): readonly boolean[] => [1, 2, 3].map(() => requests.take(who));
  expect(takesOf("alice")).toEqual([false, false, false]);
  expect(takesOf("bob")).toEqual([true, false, false]);
  expect(takesOf("constructor")).toEqual([true, true, false]);
  usage.close();
  void replica.close();
});
