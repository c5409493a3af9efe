import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { etagOf, type SafePath, writeNewFile } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { applyChange } from "../../../../src/domain/writing/changes/apply-change.ts";
import { carryOut, StalePlan } from "../../../../src/domain/writing/changes/carry-out.ts";
import type { ChangePlan, PlannedOperation } from "../../../../src/domain/writing/changes/change-plan.ts";
import { listChanges } from "../../../../src/domain/writing/changes/change-list.ts";
import { Scratch } from "../scratch.ts";

const put = (path: string, replaces: boolean): PlannedOperation => ({
  kind: "put",
  path: path as SafePath,
  replaces,
  fill: (temporary) => writeNewFile({ path: temporary }, Buffer.from("new")),
});

function start(scratch: Scratch, plan: Partial<ChangePlan>): Promise<number> {
  const whole = { tool: "test", summary: "", operations: [], isCurrent: () => true, ...plan };
  return scratch.journal.owner().then(async (owner) =>
    carryOut(whole, {
      ...scratch.request(),
      id: await scratch.journal.nextId(),
      root: scratch.root,
      owner,
    }),
  );
}

function prepare(): { scratch: Scratch; paths: string[]; before: object } {
  const scratch = new Scratch();
  const paths = ["a", "b", "dir/c"].map((name) => scratch.write(name, `old ${name}`));
  return { scratch, paths, before: scratch.tree() };
}

/** Another program that has a file open, and a plan to replace that file. */
function prepareOther(): {
  scratch: Scratch;
  replacing: Partial<ChangePlan>;
  append: (text: string) => void;
  overwrite: (text: string) => void;
} {
  const { scratch, paths } = prepare();
  const [path = ""] = paths;
  const fd = openSync(path, "r+");
  onTestFinished(() => closeSync(fd));
  const basedOn = etagOf(Buffer.from("old a"));
  return {
    scratch,
    replacing: { operations: [{ ...put(path, true), basedOn } as PlannedOperation] },
    append: (text) => void writeSync(fd, text, fstatSync(fd).size),
    overwrite(text) {
      ftruncateSync(fd);
      writeSync(fd, text, 0);
    },
  };
}

function verifyUntouched(scratch: Scratch, before: object): void {
  expect(scratch.tree()).toEqual(before);
  expect(scratch.leftovers()).toEqual([]);
  expect(scratch.entries()).toEqual([]);
}

describe("a change that fails", () => {
  it("to be recorded so that it can be read back is not begun", async () => {
    const { scratch, paths, before } = prepare();
    const operations = paths.map((path) => put(path, true));
    // A record has no name for the root itself.
    const making = start(scratch, { make: [scratch.root as SafePath], operations });
    await expect(making).rejects.toThrow("could not be read back");
    verifyUntouched(scratch, before);
  });

  it("half way is taken back: replaced, moved, deleted and new files", async () => {
    const { scratch, paths, before } = prepare();
    const [a = "", b = "", c = ""] = paths;
    const operations: PlannedOperation[] = [
      put(a, true),
      put(scratch.at("fresh"), false),
      { kind: "take", path: b as SafePath, bytes: 0 },
      {
        kind: "move",
        from: scratch.at("dir") as SafePath,
        to: scratch.at("moved") as SafePath,
        replaces: false,
      },
      // Says that nothing is there, and is wrong by now.
      put(a, false),
    ];
    await expect(start(scratch, { operations })).rejects.toBeInstanceOf(StalePlan);
    verifyUntouched(scratch, before);
    expect(scratch.read("dir/c")).toBe("old dir/c");
    expect(c).toBe(scratch.at("dir/c"));
  });

  it("because a file was written to just before it was replaced is taken back", async () => {
    const { scratch, replacing, append } = prepareOther();
    let looks = 0;
    const isCurrent = (): boolean => {
      looks += 1;
      if (looks === 2) append(" and theirs");
      return true;
    };
    await expect(start(scratch, { ...replacing, isCurrent })).rejects.toBeInstanceOf(StalePlan);
    expect(scratch.read("a")).toBe("old a and theirs");
    expect([scratch.leftovers(), scratch.entries()]).toEqual([[], []]);
  });

  needs(it, "renaming what is open")(
    "because a file was overwritten while it was replaced is taken back",
    async () => {
      const { scratch, replacing, overwrite } = prepareOther();
      const afterwards = (): void => overwrite("theirs");
      await expect(start(scratch, { ...replacing, afterwards })).rejects.toBeInstanceOf(StalePlan);
      expect(scratch.read("a")).toBe("theirs");
    },
  );

  needs(it, "renaming what is open")(
    "not because a file was appended to while it was replaced: the new one gets it",
    async () => {
      const { scratch, replacing, append } = prepareOther();
      await start(scratch, { ...replacing, afterwards: () => append(" and theirs") });
      expect(scratch.read("a")).toBe("new and theirs");
    },
  );

  it("while it is prepared has changed nothing, directories included", async () => {
    const { scratch, paths, before } = prepare();
    const failing: PlannedOperation = {
      kind: "put",
      path: scratch.at("x/y/new") as SafePath,
      replaces: false,
      fill: () => Promise.reject(new Error("disk on fire")),
    };
    const make = ["x", "x/y"].map((name) => scratch.at(name) as SafePath);
    await expect(
      start(scratch, { make, operations: [put(paths[0] ?? "", true), failing] }),
    ).rejects.toMatchObject({
      code: "internal",
    });
    verifyUntouched(scratch, before);
  });

  it.each([true, false])(
    "leaves the new, empty file of another program (seen in time: %s)",
    async (isSeen) => {
      const { scratch, before } = prepare();
      const path = scratch.at("new") as SafePath;
      let isTheirs = false;
      const fill = (temporary: string): void => {
        writeNewFile({ path: temporary }, Buffer.from("ours"));
        writeFileSync(path, "");
        isTheirs = true;
      };
      const plan = {
        operations: [{ kind: "put" as const, path, replaces: false, fill }],
        isCurrent: () => !(isSeen && isTheirs),
      };
      await expect(start(scratch, plan)).rejects.toBeInstanceOf(StalePlan);
      verifyUntouched(scratch, { ...before, new: "" });
    },
  );

  it("at the very end is taken back, too", async () => {
    const { scratch, paths, before } = prepare();
    const afterwards = (): void => {
      throw new Error("too late");
    };
    const operations = paths.map((path) => put(path, true));
    await expect(start(scratch, { operations, afterwards })).rejects.toThrow("too late");
    verifyUntouched(scratch, before);
  });

  it("because it was cancelled has changed nothing", async () => {
    const { scratch, paths, before } = prepare();
    const controller = new AbortController();
    const cancelling: PlannedOperation = {
      kind: "put",
      path: scratch.at("new") as SafePath,
      replaces: false,
      fill(temporary) {
        writeNewFile({ path: temporary }, Buffer.from("new"));
        controller.abort();
      },
    };
    const plan = {
      tool: "",
      summary: "",
      operations: [put(paths[0] ?? "", true), cancelling],
      isCurrent: () => true,
    };
    await expect(
      applyChange({ ...scratch.request(), signal: controller.signal }, [], () => ({
        plan,
        describe: () => ({}),
      })),
    ).rejects.toMatchObject({ code: "cancelled" });
    verifyUntouched(scratch, before);
  });
});

describe("a plan that is out of date", () => {
  it("is made again", async () => {
    const { scratch, paths } = prepare();
    let looks = 0;
    const result = await applyChange(scratch.request(), [], () => {
      looks += 1;
      const isGood = looks === 3;
      const plan = {
        tool: "",
        summary: "",
        operations: [put(paths[0] ?? "", true)],
        isCurrent: () => isGood,
      };
      return { plan, describe: () => ({ looks }) };
    });
    expect(result).toMatchObject({ looks: 3, changed: [paths[0]] });
    expect(listChanges(scratch.guard, 10).changes).toHaveLength(1);
  });

  it("is given up some time", async () => {
    const { scratch, paths, before } = prepare();
    const plan = { tool: "", summary: "", operations: [put(paths[0] ?? "", true)], isCurrent: () => false };
    await expect(
      applyChange(scratch.request(), [], () => ({ plan, describe: () => ({}) })),
    ).rejects.toMatchObject({ code: "conflict", retryable: true });
    verifyUntouched(scratch, before);
  });
});

needs(it, "/proc")("needs no more open files the longer it works", async () => {
  const { scratch } = prepare();
  const count = (): number => readdirSync("/proc/self/fd").length;
  const work = (): Promise<number> => start(scratch, { operations: [put(scratch.at("a"), true)] });
  await work();
  const before = count();
  for (let round = 0; round < 20; round += 1) await work();
  expect(count()).toBeLessThanOrEqual(before);
});
