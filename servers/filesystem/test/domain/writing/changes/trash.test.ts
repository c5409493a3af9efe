import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { listChanges } from "../../../../src/domain/writing/changes/change-list.ts";
import { homeOf } from "../../../../src/domain/writing/changes/trash.ts";
import { undoChange } from "../../../../src/domain/writing/undo-change.ts";
import { writeFile } from "../../../../src/domain/writing/write-file.ts";
import { createGuard, Scratch } from "../scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

describe("the trash folder", () => {
  needs(it, "file modes")(
    "is made with the first change, for its owner alone, and hidden from git",
    async () => {
      await writeFile(scratch.request(true), { path: "a", content: "" });
      expect(readdirSync(scratch.root)).toEqual([]);
      await writeFile(scratch.request(), { path: "a", content: "" });
      expect(statSync(scratch.trash).mode & 0o777).toBe(0o700);
      expect(readFileSync(join(scratch.trash, ".gitignore"), "utf8")).toBe("*\n");
    },
  );

  it("is in the outermost of the roots around a file", async () => {
    mkdirSync(scratch.at("inner"));
    const guard = createGuard([scratch.at("inner"), scratch.root]);
    expect(homeOf(guard, scratch.at("inner/a"))).toBe(scratch.root);
    await writeFile({ ...scratch.request(), guard }, { path: scratch.at("inner/a"), content: "" });
    expect(readdirSync(scratch.at("inner"))).toEqual(["a"]);
  });
});

needs(it, "symbolic links")("is still found when the roots that it was made in are widened", async () => {
  for (const name of ["sub", "gone"]) {
    scratch.write(`${name}/a`, "old");
    const narrow = { ...scratch.request(), guard: createGuard([scratch.at(name)]) };
    await writeFile(narrow, { path: "a", content: "new" });
  }
  rmSync(scratch.at("gone"), { recursive: true });
  symlinkSync(scratch.outside, scratch.at("gone"));
  const scope = { kept: scratch.journal.kept };
  expect(listChanges(scratch.guard, 10, undefined, scope).changes).toMatchObject([
    { paths: [scratch.at("sub/a")] },
  ]);
  const other = { ...scratch.request(), guard: createGuard([scratch.outside]) };
  await expect(undoChange(other, { id: "last" })).rejects.toMatchObject({ code: "not_found" });
  const { undo = "" } = await scratch.undo();
  expect(scratch.read("sub/a")).toBe("old");
  await scratch.undo(undo);
  expect(scratch.read("sub/a")).toBe("new");
});
