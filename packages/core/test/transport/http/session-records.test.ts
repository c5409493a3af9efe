import { expect, it } from "vitest";

import { MemoryStore, StoreUnavailable } from "../../../src/index.ts";
import { type SessionRecord, SessionRecords } from "../../../src/transport/http/session-records.ts";

const RECORD: SessionRecord = {
  principal: null,
  client: { era: "legacy", revision: "2025-11-25", capabilities: {}, info: { name: "t", version: "1" } },
  logLevel: "info",
  subscriptions: [],
  told: 0,
  heldBy: [],
};

/** Others change whatever somebody reads. */
class ContestedStore extends MemoryStore {
  #changes = 0;

  override get(key: string): string | undefined {
    const text = super.get(key);
    this.#changes += 1;
    this.set(key, JSON.stringify({ ...RECORD, told: this.#changes }), { ttlMs: 60_000 });
    return text;
  }
}

it("does not try for ever to change a session that others change all the time", async () => {
  const records = new SessionRecords(new ContestedStore(true), 60_000);
  await records.create("s", RECORD);
  await expect(records.change("s", (record) => record)).rejects.toBeInstanceOf(StoreUnavailable);
});
