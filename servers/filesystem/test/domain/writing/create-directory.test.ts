import { rmdirSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { createDirectory } from "../../../src/domain/writing/create-directory.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const create = (input: Parameters<typeof createDirectory>[1]): ReturnType<typeof createDirectory> =>
  createDirectory(scratch.request(), input);

it("says of a root that it is gone", async () => {
  rmdirSync(scratch.root);
  for (const isDryRun of [true, false]) {
    const making = createDirectory(scratch.request(isDryRun), { path: scratch.root });
    await expect(making).rejects.toMatchObject({ code: "not_found" });
  }
});

it("makes no git repository, not even by two calls at once", async () => {
  scratch.write("sub/HEAD", "ref: refs/heads/main");
  const make = (path: string): Promise<unknown> => create({ path });
  const results = await Promise.allSettled(["sub/objects", "sub/refs"].map(make));
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(Object.keys(scratch.tree())).toHaveLength(3);
});

it("is made once when many ask at once", async () => {
  const results = await Promise.all(["x/1", "x/2", "x/1"].map((path) => create({ path })));
  expect(results.filter(({ existed }) => !existed)).toHaveLength(2);
  expect(scratch.tree()).toEqual({ "x/": "", "x/1/": "", "x/2/": "" });
});

it("is undone while it is empty, and only then; that can be undone, too", async () => {
  const { undo } = await create({ path: "x/y" });
  scratch.write("x/y/file", "");
  for (const force of [false, true]) {
    await expect(scratch.undo(String(undo), { force })).rejects.toMatchObject({ code: "conflict" });
  }
  const other = await create({ path: "a/b" });
  const undone = await scratch.undo(String(other.undo));
  expect(undone.changed).toEqual([scratch.at("a/b"), scratch.at("a")]);
  expect(Object.keys(scratch.tree())).toEqual(["x/", "x/y/", "x/y/file"]);
  await scratch.undo(String(undone.undo));
  expect(Object.keys(scratch.tree())).toContain("a/b/");
});
