import { expect, it } from "vitest";

import { Revisions } from "../src/domain/revisions.ts";
import type { GetOptions, Web } from "../src/domain/web.ts";

it("a watched page that does not answer is given up, asked once at a time, and holds up no other", async () => {
  let asked = 0;
  let hanging = 0;
  let most = 0;
  const get = async (url: string, { signal }: GetOptions): Promise<object> => {
    if (url === "changing") return { page: { status: 200, body: Buffer.from(`${(asked += 1)}`) } };
    most = Math.max(most, (hanging += 1));
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    hanging -= 1;
    throw signal.reason;
  };
  const revisions = new Revisions({ get } as unknown as Web, 5, 50);
  let changes = 0;
  revisions.watch("hanging", () => undefined);
  const leave = revisions.watch("changing", () => (changes += 1));
  await expect.poll(() => changes, { timeout: 2000 }).toBeGreaterThan(20);
  expect(most).toBe(1);
  leave();
  const unwatch = revisions.watch("left", () => undefined);
  expect(hanging).toBeGreaterThan(0);
  unwatch();
  revisions.close();
  await expect.poll(() => hanging).toBe(0);
});
