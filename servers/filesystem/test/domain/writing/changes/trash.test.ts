import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { listChanges } from "../../../../src/domain/writing/changes/change-list.ts";
import { recover } from "../../../../src/domain/writing/changes/recovery.ts";
import { homeOf } from "../../../../src/domain/writing/changes/trash.ts";
import { undoChange } from "../../../../src/domain/writing/undo-change.ts";
import { writeFile } from "../../../../src/domain/writing/write-file.ts";
import { createGuard, Scratch } from "../scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const signal = new AbortController().signal;

describe("the trash folder", () => {
  it("is made with the first change, for its owner alone, and hidden from git", async () => {
    await writeFile(scratch.request(true), { path: "a", content: "" });
    expect(readdirSync(scratch.root)).toEqual([]);
    await writeFile(scratch.request(), { path: "a", content: "" });
    expect(statSync(scratch.trash).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(scratch.trash, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("is in the outermost of the roots around a file", async () => {
    mkdirSync(scratch.at("inner"));
    const guard = createGuard([scratch.at("inner"), scratch.root]);
    expect(homeOf(guard, scratch.at("inner/a"))).toBe(scratch.root);
    await writeFile({ ...scratch.request(), guard }, { path: scratch.at("inner/a"), content: "" });
    expect(readdirSync(scratch.at("inner"))).toEqual(["a"]);
  });

  it("is never a link that somebody put there", async () => {
    symlinkSync(scratch.outside, scratch.trash);
    scratch.write("a", "old");
    await expect(writeFile(scratch.request(), { path: "a", content: "new" })).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining(".suite-trash"),
    });
    await recover(scratch.journal, scratch.guard, signal);
    expect(() => listChanges(scratch.guard, 10)).toThrow(".suite-trash");
    expect(readdirSync(scratch.outside)).toEqual([]);
    expect(scratch.read("a")).toBe("old");
  });

  it("is no file either", async () => {
    writeFileSync(scratch.trash, "");
    await expect(writeFile(scratch.request(), { path: "a", content: "" })).rejects.toMatchObject({
      code: "permission_denied",
    });
  });
});

/** As if it had come with a repository: everything is right but where it lies. */
async function plant(change: (record: Record<string, unknown>) => void, phase: string): Promise<string> {
  const { undo = "" } = await writeFile(scratch.request(), { path: "a", content: "new" });
  const folder = join(scratch.trash, undo);
  const record = JSON.parse(readFileSync(join(folder, "entry.json"), "utf8")) as Record<string, unknown>;
  change(record);
  const planted = `${undo.slice(0, 10)}000000`;
  mkdirSync(join(scratch.trash, planted));
  writeFileSync(join(scratch.trash, planted, `${phase}.json`), JSON.stringify({ ...record, id: planted }));
  writeFileSync(join(scratch.trash, planted, "0"), "planted");
  return planted;
}

/** A process that has ended, on this very machine. */
const asEnded = (record: Record<string, unknown>): void => {
  record["owner"] = { ...(record["owner"] as object), pid: 0x7f_ff_ff_fe };
};

describe("records that somebody else wrote", () => {
  it("are neither listed nor undone", async () => {
    scratch.write("a", "old");
    const planted = await plant(() => undefined, "entry");
    expect(listChanges(scratch.guard, 10).changes).toHaveLength(1);
    await expect(scratch.undo(planted)).rejects.toMatchObject({ code: "not_found" });
    expect(scratch.read("a")).toBe("new");
  });

  it.each(["pending", "commit"])("are not recovered: %s", async (phase) => {
    scratch.write("a", "old");
    scratch.write(".victim.0123456789ab.suite-tmp", "precious");
    await plant((record) => {
      asEnded(record);
      const temporary = ".victim.0123456789ab.suite-tmp";
      record["operations"] = [{ kind: "put", path: "a", temporary, image: "0" }];
    }, phase);
    const recovery = await recover(scratch.journal, scratch.guard, signal);
    expect(recovery).toEqual({ finished: [], takenBack: [], partial: [] });
    expect(scratch.read("a")).toBe("new");
    expect(scratch.read(".victim.0123456789ab.suite-tmp")).toBe("precious");
  });

  it("do not stop the work when they are nonsense, links, or huge names", async () => {
    await writeFile(scratch.request(), { path: "a", content: "one" });
    const ids = ["0mwhd2hgm-00000a", "0mwhd2hgm-00000b", "0mwhd2hgm-00000c"];
    for (const id of ids.slice(0, 2)) mkdirSync(join(scratch.trash, id));
    writeFileSync(join(scratch.trash, ids[0] ?? "", "entry.json"), "{");
    symlinkSync("/etc/passwd", join(scratch.trash, ids[1] ?? "", "pending.json"));
    symlinkSync(scratch.outside, join(scratch.trash, ids[2] ?? ""));
    mkdirSync(join(scratch.trash, "something else"));
    expect(listChanges(scratch.guard, 10).changes).toHaveLength(1);
    await recover(scratch.journal, scratch.guard, signal);
    await writeFile(scratch.request(), { path: "a", content: "two" });
    expect(listChanges(scratch.guard, 10).changes).toHaveLength(2);
    expect(lstatSync(scratch.outside).isDirectory()).toBe(true);
  });
});

it("is still found when the roots that it was made in are widened", async () => {
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
