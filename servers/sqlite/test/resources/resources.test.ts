import { describe, expect, it } from "vitest";
import { useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;

describe("resources", () => {
  it("are listed page by page", async () => {
    const script = Array.from(
      { length: 150 },
      (_, at) => `CREATE TABLE t${String(at).padStart(3, "0")} (a);`,
    ).join("");
    const exactly = Array.from({ length: 50 }, (_, at) => `CREATE TABLE u${at} (a);`).join("");
    const files = [
      scratch.create("one.db", script),
      scratch.create("two.db", exactly),
      scratch.create("three.db", "CREATE TABLE last (a)"),
    ];
    const client = await served.connect({ files });
    const uris = (await client.listResources())
      .map(({ uri }) => uri)
      .filter((uri) => uri.includes("/table/"));
    expect([uris.length, new Set(uris).size, uris[0], uris.at(-1)]).toEqual([
      201,
      201,
      "sqlite://one/table/t000",
      "sqlite://three/table/last",
    ]);
  });
});
