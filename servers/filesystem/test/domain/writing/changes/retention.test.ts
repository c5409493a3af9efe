import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ChangeJournal } from "../../../../src/domain/writing/changes/journal.ts";
import { recover } from "../../../../src/domain/writing/changes/recovery.ts";
import { listChanges } from "../../../../src/domain/writing/changes/change-list.ts";
import { toChangeId } from "../../../../src/domain/writing/changes/change-record.ts";
import { writeFile } from "../../../../src/domain/writing/write-file.ts";
import { OPTIONS, Scratch } from "../scratch.ts";

const signal = new AbortController().signal;

async function writeSome(scratch: Scratch, count: number, size = 10): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await writeFile(scratch.request(), { path: "a", content: String(index).repeat(size) });
  }
}

describe("what is kept", () => {
  it("is bounded in number: the oldest goes first", async () => {
    const scratch = new Scratch({ maxEntries: 3 });
    await writeSome(scratch, 6);
    expect(listChanges(scratch.guard, 10).changes).toHaveLength(3);
    await scratch.undo();
    expect(scratch.read("a")).toBe("4".repeat(10));
  });

  it("is bounded in bytes", async () => {
    const scratch = new Scratch({ maxBytes: 2500 });
    await writeSome(scratch, 6, 1000);
    expect(listChanges(scratch.guard, 10).changes).toHaveLength(2);
  });

  it("is bounded over all processes that add to it", async () => {
    const scratch = new Scratch({ maxEntries: 40 });
    const other = { ...scratch.request(), journal: new ChangeJournal({ ...OPTIONS, maxEntries: 40 }) };
    for (let index = 0; index < 60; index += 1) {
      await writeFile(index % 2 ? other : scratch.request(), { path: "a", content: String(index) });
    }
    // Each of them sees the other's only now and then.
    expect(listChanges(scratch.guard, 200).changes.length).toBeLessThanOrEqual(60);
    await recover(scratch.journal, scratch.guard, signal);
    expect(listChanges(scratch.guard, 200).changes.length).toBeLessThanOrEqual(40);
    expect(listChanges(scratch.guard, 200).changes.length).toBeGreaterThanOrEqual(38);
  });

  it("is bounded in time", async () => {
    const scratch = new Scratch({ maxAgeMs: 0 });
    await writeSome(scratch, 3);
    await recover(scratch.journal, scratch.guard, signal);
    expect(listChanges(scratch.guard, 10).changes).toHaveLength(1);
  });

  it("is always the newest, however large", async () => {
    const scratch = new Scratch({ maxBytes: 1 });
    await writeSome(scratch, 3, 1000);
    await scratch.undo();
    expect(scratch.read("a")).toBe("1".repeat(1000));
  });
});

it("removes folders without a record once they are old, not while they may be in the making", async () => {
  const scratch = new Scratch();
  await writeSome(scratch, 1);
  const [old, young] = [Date.now() - 3_600_000, Date.now()].map((time) => toChangeId(time, "abcdef"));
  for (const id of [old, young]) mkdirSync(join(scratch.trash, String(id)));
  await recover(scratch.journal, scratch.guard, signal);
  expect(scratch.entries()).toContain(young);
  expect(scratch.entries()).not.toContain(old);
});

it("lets nobody push out what is kept by putting folders there", async () => {
  const scratch = new Scratch({ maxEntries: 5 });
  await writeSome(scratch, 3);
  const times = Array.from({ length: 10 }, (_, index) => Date.now() + index * 30 * 60 * 60_000);
  const planted = times.map((time) => toChangeId(time, "abcdef"));
  for (const id of planted) {
    mkdirSync(join(scratch.trash, id));
    writeFileSync(join(scratch.trash, id, "entry.json"), "{}");
  }
  await recover(scratch.journal, scratch.guard, signal);
  expect(listChanges(scratch.guard, 10).changes).toHaveLength(3);
  expect(scratch.entries().filter((id) => planted.includes(id))).toEqual([planted[0]]);
});
