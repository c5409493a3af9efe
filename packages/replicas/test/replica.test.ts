import { expect, it, onTestFinished } from "vitest";

import { MemoryStore, Replica } from "../src/index.ts";
import { StoreLine } from "./store-line.ts";

it("takes nobody for dead who could not say that it is there", async () => {
  const line = new StoreLine(new MemoryStore());
  line.isDown = true;
  const replica = new Replica(line);
  onTestFinished(() => replica.close());
  await new Promise((resolve) => setImmediate(resolve));
  line.isDown = false;
  expect(await replica.heartbeat.isDead("another")).toBe(false);
});
