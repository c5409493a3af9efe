import { expect, it } from "vitest";

import { Journal } from "../../src/connection/journal.ts";
import { MemoryStore, Replica, StoreUnavailable } from "../../src/index.ts";

class AwayStore extends MemoryStore {
  override append(): never {
    throw new StoreUnavailable();
  }
}

it("keeps no more changes for a store that is away than the journal would", () => {
  const journal = new Journal(new Replica(new AwayStore(true)), () => undefined);
  for (let page = 0; page < 10_050; page += 1) journal.announce({ kind: "resource", uri: `page:///${page}` });
  expect(journal.waiting).toBe(10_000);
  journal.close();
});
