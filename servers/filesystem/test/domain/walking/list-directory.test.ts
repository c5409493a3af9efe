import { rmSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { type DirectoryPage, listDirectory } from "../../../src/domain/walking/list-directory.ts";
import type { PageRequest } from "../../../src/domain/walking/start.ts";
import { createScratch } from "../reading/scratch.ts";

const { root, guard, write } = createScratch();
const list = (request: PageRequest): Promise<DirectoryPage> =>
  listDirectory(guard, request, new AbortController().signal);

describe("listDirectory", () => {
  it("goes on behind the last name, though that may be gone and others have come", async () => {
    for (const name of ["a", "c", "e", "g"]) write(`changing/${name}`);
    const first = await list({ path: "changing", limit: 2 });
    rmSync(join(root, "changing/c"));
    for (const name of ["b", "d"]) write(`changing/${name}`);
    const second = await list({ path: "changing", limit: 9, cursor: first.next_cursor });
    expect([first, second].map(({ files }) => files?.join(""))).toEqual(["ac", "deg"]);
  });

  it("ends a page that is full to the last place without a cursor", async () => {
    for (const name of ["a", "b"]) write(`full/${name}`);
    expect(await list({ path: "full", limit: 2 })).not.toHaveProperty("next_cursor");
    expect(await list({ path: "full", limit: 1 })).toHaveProperty("next_cursor");
  });
});
