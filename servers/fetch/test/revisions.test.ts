import { expect, it } from "vitest";

import { Revisions } from "../src/domain/revisions.ts";
import type { GetOptions, Web } from "../src/domain/web.ts";

it("a watched page that does not answer is given up, asked once at a time, and holds up no other", async () => {
  let asked = 0;
  let hanging = 0;
  let most = 0;
  const get = async (url: string, { signal }: GetOptions): Promise<object> => {
    if (url === "http://a.example/changing")
      return { page: { status: 200, body: Buffer.from(`${(asked += 1)}`) } };
    most = Math.max(most, (hanging += 1));
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    hanging -= 1;
    throw signal.reason;
  };
  const revisions = new Revisions({ get } as unknown as Web, 5, 50);
  let changes = 0;
  revisions.watch("http://b.example/hanging", () => undefined);
  const leave = revisions.watch("http://a.example/changing", () => (changes += 1));
  await expect.poll(() => changes).toBeGreaterThan(20);
  expect(most).toBe(1);
  leave();
  const unwatch = revisions.watch("http://c.example/left", () => undefined);
  expect(hanging).toBeGreaterThan(0);
  unwatch();
  revisions.close();
  await expect.poll(() => hanging).toBe(0);
});

it("the watched pages of one host are asked one after the other, each with its own timeout", async () => {
  const answered = new Set<string>();
  let asked = 0;
  let most = 0;
  const get = async (url: string, { signal }: GetOptions): Promise<object> => {
    most = Math.max(most, (asked += 1));
    // As a host that is asked once in so many milliseconds, or not at all.
    await new Promise<void>((resolve) => {
      if (!url.endsWith("/0")) setTimeout(resolve, 10 * asked);
      signal.addEventListener("abort", () => resolve());
    });
    asked -= 1;
    signal.throwIfAborted();
    answered.add(url);
    return { page: { status: 200, body: Buffer.from("") } };
  };
  const revisions = new Revisions({ get } as unknown as Web, 5, 35);
  const urls = Array.from({ length: 8 }, (_, index) => `http://a.example/${index}`);
  for (const url of urls) revisions.watch(url, () => undefined);
  await expect.poll(() => [...answered].toSorted()).toEqual(urls.slice(1));
  expect(most).toBe(1);
  revisions.close();
});

it("there is a limit to how many pages are watched", () => {
  const get = (): Promise<never> => new Promise(() => undefined);
  const revisions = new Revisions({ get } as unknown as Web, 1000, 1000);
  for (let index = 0; index < 100; index += 1) revisions.watch(`http://a.example/${index}`, () => undefined);
  const refusal = expect.objectContaining({ message: "100 pages are watched already" });
  expect(() => revisions.watch("http://a.example/100", () => undefined)).toThrow(refusal);
  revisions.close();
});
