import { type Fields, listPages, LISTS } from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { verify } from "./verify.ts";

/** A result of every method whose results may be kept, with all pages of the lists. */
async function cacheable(wire: Wire, uris: readonly string[]): Promise<readonly Fields[]> {
  const results = [(await wire.request("server/discover")).result ?? {}];
  for (const method of Object.keys(LISTS)) results.push(...(await listPages(wire, method)));
  for (const uri of uris) results.push((await wire.request("resources/read", { uri })).result ?? {});
  return results;
}

verify(
  ["caching/hints-present", "caching/ttl-not-negative", "caching/scope-value"],
  "says of every result how long and by whom it may be kept",
  async ({ shared }) => {
    const everything = await cacheable(await shared(), [
      "demo:///text",
      "demo:///counter",
      "demo:///cities/ch/Bern",
    ]);
    const notes = await cacheable(await shared(NOTES), ["note:///", "note:///welcome"]);
    expect(everything.length).toBeGreaterThan(12);
    for (const result of [...everything, ...notes]) {
      expect(result).toHaveProperty("resultType", "complete");
      expect(Number.isSafeInteger(result["ttlMs"]), JSON.stringify(result)).toBe(true);
      expect(result["ttlMs"]).toBeGreaterThanOrEqual(0);
      expect(["public", "private"]).toContain(result["cacheScope"]);
    }
    expect(everything.at(-3)).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
    expect(everything.at(-2)).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  },
);

verify(
  "caching/same-scope-on-all-pages",
  "keeps to one scope over all pages of a list",
  async ({ shared }) => {
    const wire = await shared();
    for (const method of Object.keys(LISTS)) {
      const pages = await listPages(wire, method);
      expect(pages.length).toBeGreaterThan(1);
      expect(new Set(pages.map((page) => page["cacheScope"])), method).toEqual(new Set(["public"]));
    }
  },
);

verify("caching/interim-results-without-hints", "gives no hints with a question", async ({ open }) => {
  const wire = await open({ capabilities: { elicitation: {} } });
  const questions = [
    await wire.request("resources/read", { uri: "demo:///asking" }),
    await wire.request("tools/call", { name: "ask_form" }),
    await wire.request("prompts/get", { name: "asking" }),
  ];
  for (const { result } of questions) {
    expect(result).toHaveProperty("resultType", "input_required");
    expect(result).not.toHaveProperty("ttlMs");
    expect(result).not.toHaveProperty("cacheScope");
  }
});
