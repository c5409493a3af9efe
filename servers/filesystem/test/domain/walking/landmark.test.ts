import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { findFiles } from "../../../src/domain/searching/find-files.ts";
import {
  findLandmarks,
  fromWalkEnd,
  markOf,
  toLandmark,
  toWalkEnd,
} from "../../../src/domain/walking/landmark.ts";
import { createScratch } from "../reading/scratch.ts";

const { guard, root, write } = createScratch();
const start = guard.locate(".");
const { signal: never } = new AbortController();
const LONG = "a/path/that/is/quite/long/for/one.ts";

describe("a landmark", () => {
  it("makes a cursor that can be copied by hand of a path eight levels deep", () => {
    write(LONG);
    const { next_cursor: cursor = "" } = toWalkEnd(true, LONG, ["x"]);
    expect(cursor.length).toBeLessThanOrEqual(24);
    expect(fromWalkEnd(guard, start, cursor, ["x"])).toBe(LONG);
    expect(() => fromWalkEnd(guard, start, cursor, ["y"])).toThrow("does not continue");
  });

  it("is told apart from others with the same letters", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `a rather long name ${index}`);
    const [first = "", ...others] = names;
    const twin = others.find((name) => markOf(name) === markOf(first)) ?? "";
    for (const name of [first, twin]) write(`${name}/file`);
    expect([...findLandmarks(guard, start, toLandmark(`${first}/file`))].toSorted()).toEqual(
      [`${first}/file`, `${twin}/file`].toSorted(),
    );
    for (const path of [`${first}/file`, `${twin}/file`]) {
      const { next_cursor: cursor } = toWalkEnd(true, path, []);
      expect(fromWalkEnd(guard, start, cursor, [])).toBe(path);
    }
  });

  it("of what is gone is refused, and says how to go on", () => {
    write("here/today/and/gone/tomorrow/morning.txt");
    const { next_cursor: cursor } = toWalkEnd(true, "here/today/and/gone/tomorrow/morning.txt", []);
    renameSync(join(root, "here"), join(root, "elsewhere"));
    expect(() => fromWalkEnd(guard, start, cursor, [])).toThrow("does not continue");
  });

  it.each([null, "", "x", "xyz", 7, "../..", "zz".repeat(10_000)])("is no %j", (given) => {
    expect([...findLandmarks(guard, start, given)]).toEqual([]);
  });

  it("leads through every page of a deep tree, each path once", async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `deep/${index % 5}/below/it/file number ${index}`);
    for (const path of paths) write(path);
    mkdirSync(join(root, "deep/empty"), { recursive: true });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const request = { path: "deep", pattern: "file*", limit: 4, ...(cursor !== undefined && { cursor }) };
      const page = await findFiles(guard, request, { signal: never });
      found.push(...(page.matches ?? []));
      cursor = page.next_cursor;
      expect(cursor?.length ?? 0).toBeLessThanOrEqual(24);
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(paths.map((path) => join(path)).toSorted());
  });
});
