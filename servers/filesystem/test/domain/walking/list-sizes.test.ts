import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { listSizes, type SizeRequest, type SizesPage } from "../../../src/domain/walking/list-sizes.ts";
import { createPlot } from "./plot.ts";

const { root, guard, plant } = createPlot();
const list = (request: Partial<SizeRequest>): Promise<SizesPage> =>
  listSizes(guard, { path: "sized", ...request }, new AbortController().signal);
const names = ({ entries }: SizesPage): string => entries.map(({ name }) => name).join(" ");

plant("sized/.gitignore", "*.log\n");
for (const [name, size] of Object.entries({ small: 1, large: 1000, same: 1000, "x.log": 9999 })) {
  plant(`sized/${name}`, "x".repeat(size));
}
plant("sized/directory/file", "x");

describe("listSizes", () => {
  it("measures files and sums up", async () => {
    expect(await list({})).toEqual({
      path: join(root, "sized"),
      entries: [
        { name: ".gitignore", type: "file", size: 6 },
        { name: "directory", type: "directory" },
        { name: "large", type: "file", size: 1000 },
        { name: "same", type: "file", size: 1000 },
        { name: "small", type: "file", size: 1 },
      ],
      ignored: 1,
      total_files: 4,
      total_directories: 1,
      total_size: 2007,
      truncated: false,
    });
  });

  it("sorts by size, largest first, and by name where that is the same", async () => {
    expect(names(await list({ sort: "size" }))).toBe("large same .gitignore small directory");
  });

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
});
