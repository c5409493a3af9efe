import { TimeSlices } from "@suite/server-kit/domain";
import { openSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { ContentSearch } from "../../../src/domain/searching/content-search.ts";
import { createLiteralMatcher } from "../../../src/domain/searching/line-matcher.ts";
import { Beyond, Room } from "../../../src/domain/walking/room.ts";
import { SkippedList } from "../../../src/domain/walking/walk.ts";
import { createScratch } from "../reading/scratch.ts";
import { countOpen } from "../walking/walks.ts";

const { root, write } = createScratch();
const createSearch = (limit: number): ContentSearch =>
  new ContentSearch({
    mode: "lines",
    matcher: createLiteralMatcher("x", true),
    room: new Room(),
    context: 0,
    needsUtf8: false,
    limit,
    toShown: (path) => `/${path}`,
    beyond: new Beyond(false),
  });

describe("ContentSearch", () => {
  it("tells of what cannot be opened or read, and closes it", async () => {
    const state = { slices: new TimeSlices(new AbortController().signal), skipped: new SkippedList() };
    const search = createSearch(9);
    const before = countOpen();
    const missing = (): number => openSync(`${root}/missing`, "r");
    expect(await search.search("missing", missing, state)).toBeUndefined();
    expect(await search.search("directory", () => openSync(root, "r"), state)).toBeUndefined();
    expect(state.skipped.listed).toEqual([
      { path: "missing", reason: "gone meanwhile" },
      { path: "directory", reason: "replaced meanwhile" },
    ]);
    expect(search.files).toBe(0);
    await expect.poll(countOpen).toBeLessThanOrEqual(before);
  });

  it("stops at the first match that has no room, and remembers it", async () => {
    const state = { slices: new TimeSlices(new AbortController().signal), skipped: new SkippedList() };
    const search = createSearch(1);
    const open = (): number => openSync(write("file", "x\ny\nx\n"), "r");
    expect(await search.search("file", open, state)).toBe("stop");
    expect(search.found).toEqual([{ path: "/file", matches: [{ line: 1, column: 1, text: "x" }] }]);
    expect(search.next).toEqual({ path: "file", line: 3 });
  });
});
