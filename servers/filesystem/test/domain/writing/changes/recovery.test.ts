import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { replaceInFiles } from "../../../../src/domain/editing/replace-in-files.ts";
import { ChangeJournal } from "../../../../src/domain/writing/changes/journal.ts";
import { createProcessMark } from "../../../../src/domain/writing/changes/process-mark.ts";
import { recover } from "../../../../src/domain/writing/changes/recovery.ts";
import { listChanges } from "../../../../src/domain/writing/changes/change-list.ts";
import { deleteEntry } from "../../../../src/domain/writing/delete-entry.ts";
import { toLockName } from "../../../../src/domain/reserved-names.ts";
import { writeFile } from "../../../../src/domain/writing/write-file.ts";
import { OPTIONS, Scratch } from "../scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const signal = new AbortController().signal;
const NOTHING = { finished: [], takenBack: [], partial: [] };
/** Far above what a system gives out: a process that has ended. */
const ENDED = 0x7f_ff_ff_fe;

/** Turns a change that is done into one whose process was ended right before it said so. */
function reopen(id: string): string {
  const folder = join(scratch.trash, id);
  renameSync(join(folder, "entry.json"), join(folder, "commit.json"));
  writeFileSync(join(folder, "pending.json"), readFileSync(join(folder, "commit.json")));
  return folder;
}

const asEnded = (): ReturnType<Scratch["request"]> => ({
  ...scratch.request(),
  journal: new ChangeJournal({ ...OPTIONS, pid: ENDED }),
});

/** A change of `a` and another file whose process was ended when only `a` was changed. */
async function endHalfway(other = "b"): Promise<string> {
  for (const name of ["a", other]) scratch.write(name, "old");
  const { undo = "" } = await replaceInFiles(asEnded(), {
    path: ".",
    pattern: "old",
    replacement: "new",
    expected_count: 2,
  });
  const folder = reopen(undo);
  const { operations } = JSON.parse(readFileSync(join(folder, "commit.json"), "utf8")) as {
    operations: { path: string; temporary: string }[];
  };
  scratch.write(other, "old");
  scratch.write(String(operations.find(({ path }) => path === other)?.temporary), "new");
  return undo;
}

describe("after a start", () => {
  it("does nothing where nothing is, and makes no folder", async () => {
    expect(await recover(scratch.journal, scratch.guard, signal)).toEqual(NOTHING);
    expect(existsSync(scratch.trash)).toBe(false);
  });

  it("leaves alone what is done, and what others are still doing", async () => {
    scratch.write("a", "old");
    const { undo = "" } = await writeFile(scratch.request(), { path: "a", content: "new" });
    expect(await recover(scratch.journal, scratch.guard, signal)).toEqual(NOTHING);
    // This process's own, and it is alive.
    reopen(undo);
    expect(await recover(scratch.journal, scratch.guard, signal)).toEqual(NOTHING);
  });

  it("finishes what was done but not yet said to be", async () => {
    scratch.write("a", "old");
    const { undo = "" } = await writeFile(asEnded(), { path: "a", content: "new" });
    reopen(undo);
    expect(listChanges(scratch.guard, 10).changes).toEqual([]);
    expect(await recover(scratch.journal, scratch.guard, signal)).toEqual({ ...NOTHING, finished: [undo] });
    await scratch.undo(undo);
    expect(scratch.read("a")).toBe("old");
  });

  it.each(["b", ...(sep === "/" ? ["unit\\x2da.conf"] : [])])(
    "takes back what had happened in a part of the files only (%s)",
    async (other) => {
      const undo = await endHalfway(other);
      expect(await recover(scratch.journal, scratch.guard, signal)).toEqual({
        ...NOTHING,
        takenBack: [undo],
      });
      expect(scratch.tree()).toEqual({ a: "old", [other]: "old" });
      expect(scratch.leftovers()).toEqual([]);
      expect(scratch.entries()).toEqual([]);
    },
  );

  it("keeps what somebody has written since, and the old versions too", async () => {
    const undo = await endHalfway();
    scratch.write("a", "theirs");
    expect(await recover(scratch.journal, scratch.guard, signal)).toEqual({ ...NOTHING, partial: [undo] });
    expect(scratch.tree()).toEqual({ a: "theirs", b: "old" });
    expect(listChanges(scratch.guard, 10).changes).toMatchObject([
      { id: undo, summary: expect.stringContaining("in part") },
    ]);
    await scratch.undo(undo, { force: true });
    expect(scratch.read("a")).toBe("old");
  });

  it.each(["pending", "commit"])("keeps an empty file that somebody has made since (%s)", async (phase) => {
    const { undo = "" } = await writeFile(asEnded(), { path: "new", content: "new" });
    const folder = reopen(undo);
    if (phase === "pending") rmSync(join(folder, "commit.json"));
    const { operations } = JSON.parse(readFileSync(join(folder, "pending.json"), "utf8")) as {
      operations: { temporary: string }[];
    };
    renameSync(scratch.at("new"), scratch.at(String(operations[0]?.temporary)));
    scratch.write("new", "");
    expect(await recover(scratch.journal, scratch.guard, signal)).toMatchObject({ partial: [] });
    expect(scratch.tree()).toEqual({ new: "" });
    expect(scratch.leftovers()).toEqual([]);
  });

  it("copes with a directory that is gone", async () => {
    scratch.write("dir/a", "old");
    const { undo = "" } = await writeFile(asEnded(), { path: "dir/a", content: "new" });
    reopen(undo);
    rmSync(scratch.at("dir"), { recursive: true });
    expect(await recover(scratch.journal, scratch.guard, signal)).toEqual({ ...NOTHING, partial: [undo] });
    await scratch.undo(undo, { force: true });
    expect(scratch.read("dir/a")).toBe("old");
  });

  it("removes what is left of a deletion for good", async () => {
    scratch.write("dir/a", "text");
    mkdirSync(scratch.trash);
    const { undo = "" } = await deleteEntry(asEnded(), { path: "dir", recursive: true });
    const folder = join(scratch.trash, undo);
    const record = JSON.parse(readFileSync(join(folder, "entry.json"), "utf8")) as object;
    writeFileSync(join(folder, "entry.json"), JSON.stringify({ ...record, isPermanent: true }));
    writeFileSync(join(folder, "pending.json"), "");
    expect(await recover(scratch.journal, scratch.guard, signal)).toEqual({ ...NOTHING, finished: [undo] });
    expect(scratch.entries()).toEqual([]);
  });

  it("is safe to be done by several at once", async () => {
    scratch.write("a", "old");
    const { undo = "" } = await writeFile(asEnded(), { path: "a", content: "new" });
    reopen(undo);
    const all = await Promise.all(
      [1, 2, 3].map(() => recover(new ChangeJournal(OPTIONS), scratch.guard, signal)),
    );
    expect(all.flatMap(({ finished }) => finished)).toEqual([undo]);
  });
});

describe("a lock that was left", () => {
  needs(it, "symbolic links")("is broken by whoever needs it", async () => {
    const owner = { ...(await scratch.journal.owner()), pid: ENDED };
    symlinkSync(JSON.stringify(owner), scratch.at(toLockName("a")));
    await writeFile(scratch.request(), { path: "a", content: "text" });
    expect(scratch.leftovers()).toEqual([]);
  });

  needs(it, "symbolic links")("of a living process is waited for, until the call is cancelled", async () => {
    symlinkSync(JSON.stringify(createProcessMark(process.ppid)), scratch.at(toLockName("a")));
    const writing = writeFile(
      { ...scratch.request(), signal: AbortSignal.timeout(100) },
      { path: "a", content: "" },
    );
    await expect(writing).rejects.toMatchObject({ code: "timeout" });
    expect(scratch.tree()).toEqual({});
    expect(scratch.entries()).toEqual([]);
  });
});
