import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import { asNobody, needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";

import { listSizes, type SizeRequest, type SizesPage } from "../../../src/domain/walking/list-sizes.ts";
import { createScratch } from "../reading/scratch.ts";

const { root, guard, write } = createScratch();
const list = (request: Partial<SizeRequest>): Promise<SizesPage> =>
  listSizes(guard, { path: "sized", ...request }, new AbortController().signal);
const names = ({ entries }: SizesPage): string => entries.map(({ name }) => name).join(" ");

write("sized/.gitignore", "*.log\n");
for (const [name, size] of Object.entries({ small: 1, large: 1000, same: 1000, "x.log": 9999 })) {
  write(`sized/${name}`, "x".repeat(size));
}
write("sized/directory/file", "x");

describe("listSizes", () => {
  it.each(["name", "size"] as const)(
    "gives pages by %s that follow each other, each with the totals",
    async (sort) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ sort, limit: 2, cursor });
        expect(page.total_size).toBe(2007);
        found.push(names(page));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(found.join(" ")).toBe(names(await list({ sort })));
      expect(found).toHaveLength(3);
    },
  );

  it.each(["name", "size"] as const)("goes on by %s behind names too long for a cursor", async (sort) => {
    const long = Array.from({ length: 3 }, (_, at) => `${"n".repeat(40)}${at}`);
    for (const name of long) write(`long/${name}`, "x");
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ path: "long", sort, limit: 1, cursor });
      found.push(names(page));
      cursor = page.next_cursor;
    } while (cursor !== undefined && found.length < 4);
    expect(found).toEqual(long);
  });

  it("goes on behind an entry that is gone, or by size refuses to", async () => {
    for (const name of ["a", "b", "c"]) write(`going/${name}`, "x");
    const pages = {
      name: await list({ path: "going", limit: 2 }),
      size: await list({ path: "going", limit: 2, sort: "size" }),
    };
    rmSync(join(root, "going/b"));
    expect(names(await list({ path: "going", cursor: pages.name.next_cursor }))).toBe("c");
    const again = list({ path: "going", cursor: pages.size.next_cursor, sort: "size" });
    await expect(again).rejects.toMatchObject({ code: "invalid_input" });
  });

  needs(it, "file modes").each([
    ["opened", 0],
    ["entered", 0o444],
  ])("says where a directory cannot be %s that there is more", async (_, mode) => {
    chmodSync(dirname(root), 0o755);
    for (const path of ["open/file", "partly/file", "partly/closed/file"]) write(`cut/${path}`, "x");
    const closed = join(root, "cut/partly/closed");
    chmodSync(closed, mode);
    const page = await asNobody(() => list({ path: "cut", recursive: true }));
    chmodSync(closed, 0o755);
    expect(page.entries).toEqual([
      { name: "open", type: "directory", size: 1 },
      { name: "partly", type: "directory", size: 1, is_lower_bound: true },
    ]);
    expect(page).toMatchObject({ total_size: 2, is_lower_bound: true });
    expect(await list({ path: "cut/open", recursive: true })).not.toHaveProperty("is_lower_bound");
  });

  needs(it, "names that are no text")(
    "gives no size to a directory whose name is not valid UTF-8",
    async () => {
      write("bytes/file", "x");
      mkdirSync(Buffer.concat([Buffer.from(join(root, "bytes/d")), Buffer.from([0xff])]));
      const page = await list({ path: "bytes", recursive: true });
      expect(page.entries[0]).toEqual({ name: String.raw`d\xFF`, type: "directory" });
      expect(page).toMatchObject({ total_size: 1, is_lower_bound: true });
      expect(await list({ path: "bytes" })).not.toHaveProperty("is_lower_bound");
    },
  );
});
