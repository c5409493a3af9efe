import { MemoryStore } from "@suite/replicas";
import { beforeEach, describe } from "vitest";

import { testStore } from "./store-suite.ts";

describe("a store in memory", () => {
  let store = new MemoryStore();
  beforeEach(() => void (store = new MemoryStore()));

  testStore(async () => store);
});
