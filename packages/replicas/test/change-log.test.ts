import { expect, it } from "vitest";

import { StoreUnavailable } from "@suite/core";
import { ChangeLog } from "../src/change-log.ts";
import { MemoryStore } from "../src/memory-store.ts";

class AwayStore extends MemoryStore {
  override append(): never {
    throw new StoreUnavailable();
  }
}

it("keeps no more changes for a store that is away than the log would", () => {
  const log = new ChangeLog(new AwayStore());
  for (let page = 0; page < 10_050; page += 1) log.announce({ kind: "resource", uri: `page:///${page}` });
  expect(log.waiting).toBe(10_000);
  log.close();
});
