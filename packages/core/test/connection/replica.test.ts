import { expect, it, onTestFinished } from "vitest";

import { MemoryStore, Replica } from "../../src/index.ts";
import { StoreLine } from "../store-line.ts";

it("takes nobody for gone who could not say that it is there", async () => {
  const line = new StoreLine(new MemoryStore(true));
  line.isDown = true;
  const replica = new Replica(line);
  replica.start();
  onTestFinished(() => replica.close());
  await new Promise((resolve) => setImmediate(resolve));
  line.isDown = false;
  expect(await replica.hasGone("another")).toBe(false);
});
