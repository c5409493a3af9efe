import { expect, it } from "vitest";

import { HeldBytes } from "../src/domain/held-bytes.ts";

it("pages wait for each other by their weight, and one alone is let in whatever it weighs", async () => {
  const held = new HeldBytes(100);
  const stop = new AbortController();
  const entered: string[] = [];
  const enter = (name: string, bytes: number): Promise<void> =>
    held.reserve(bytes, stop.signal).then(() => void entered.push(name));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const huge = enter("huge", 1000);
  const waiting = [enter("a", 60), enter("b", 40), enter("c", 1)];
  await huge;
  await settle();
  expect(entered).toEqual(["huge"]);
  held.release(1000);
  await settle();
  expect(entered).toEqual(["huge", "a", "b"]);
  held.add(50);
  held.release(60);
  await settle();
  expect(entered).toEqual(["huge", "a", "b", "c"]);
  const late = enter("d", 50);
  setImmediate(() => stop.abort());
  await expect(late).rejects.toMatchObject({ code: "cancelled" });
  held.release(91);
  await Promise.all(waiting);
});
