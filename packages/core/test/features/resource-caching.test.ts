import { describe, expect, it } from "vitest";
import { createServer, defineResource, type Server } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY, MODERN } from "../revisions.ts";
import { resultOf } from "../transcript.ts";

describe("caching hints of resources", () => {
  const server = (): Server =>
    createServer({
      name: "s",
      version: "1",
      caching: { reads: { ttlMs: 5, cacheScope: "public" } },
      resources: [
        defineResource({
          uri: "a://own",
          name: "own",
          cache: { ttlMs: 9, cacheScope: "private" },
          read: () => "x",
        }),
        defineResource({ uri: "a://default", name: "default", read: () => "x" }),
      ],
    });

  it("are the resource's own before the server's", async () => {
    const line = await openLine(server(), { revision: MODERN });
    const own = await line.request("resources/read", { uri: "a://own" });
    expect(own).toMatchObject({ result: { ttlMs: 9, cacheScope: "private" } });
    const other = await line.request("resources/read", { uri: "a://default" });
    expect(other).toMatchObject({ result: { ttlMs: 5, cacheScope: "public" } });
  });

  it("are complete if only one of them is given", async () => {
    const caching = { reads: { ttlMs: 7000 } };
    const resources = [
      defineResource({ uri: "a://a", name: "a", read: () => "x" }),
      defineResource({ uri: "a://own", name: "own", cache: { ttlMs: 9 }, read: () => "x" }),
    ];
    const line = await openLine(createServer({ name: "s", version: "1", caching, resources }), {
      revision: MODERN,
    });
    const read = await line.request("resources/read", { uri: "a://a" });
    expect(read).toMatchObject({ result: { ttlMs: 7000, cacheScope: "private" } });
    const own = await line.request("resources/read", { uri: "a://own" });
    expect(own).toMatchObject({ result: { ttlMs: 9, cacheScope: "private" } });
  });

  it.each(LEGACY)("are kept from %s", async (revision) => {
    const line = await openLine(server(), { revision });
    const result = resultOf(await line.request("resources/read", { uri: "a://own" }));
    expect(Object.keys(result)).toEqual(["contents"]);
  });
});
