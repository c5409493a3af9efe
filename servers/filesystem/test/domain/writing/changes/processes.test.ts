import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { recover } from "../../../../src/domain/writing/changes/recovery.ts";
import { buildProgram } from "./programs/build.ts";
import { Scratch } from "../scratch.ts";

const run = promisify(execFile);
const [counter, writer] = [await buildProgram("counter"), await buildProgram("writer")];
const shared = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

describe("two processes that count in one file", () => {
  // In memory, where writes are fastest and the clock ticks least between them.
  it.each([
    ["keeping what was there", "true"],
    ["keeping nothing", "false"],
  ])("lose no count, %s", async (_, keep) => {
    const scratch = new Scratch({}, shared);
    scratch.write("counter", "0");
    const times = 100;
    const args = [counter, scratch.root, "counter", String(times), keep];
    const results = await Promise.all([1, 2, 3].map(() => run(process.execPath, args, { timeout: 280_000 })));
    const counts = results.map(({ stdout }) => JSON.parse(stdout) as { done: number; refused: number });
    expect(scratch.read("counter")).toBe(String(3 * times));
    // Otherwise they never met, and nothing was tried.
    expect(counts.reduce((sum, { refused }) => sum + refused, 0)).toBeGreaterThan(0);
    expect(scratch.leftovers()).toEqual([]);
  });

  it("need not even be started with the same directory", async () => {
    const scratch = new Scratch({}, shared);
    scratch.write("inner/counter", "0");
    const ways = [
      [scratch.root, "inner/counter"],
      [scratch.at("inner"), "counter"],
    ];
    await Promise.all(
      ways.map((way) => run(process.execPath, [counter, ...way, "100"], { timeout: 280_000 })),
    );
    expect(scratch.read("inner/counter")).toBe("200");
  });
});

describe("a process that is killed again and again while it writes", () => {
  it("leaves every file as it was or as it was to be, and nothing else after the next start", async () => {
    const scratch = new Scratch({}, shared);
    prepare(scratch);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await killOnce(scratch.root);
      verifyContents(scratch);
    }
    await recover(scratch.journal, scratch.guard, new AbortController().signal);
    verifyContents(scratch);
    const groups = ["a", "b", "c"].map((name) => scratch.read(`group/${name}`));
    expect(new Set(groups).size).toBe(1);
    expect(scratch.leftovers()).toEqual([]);
    expect(Object.keys(scratch.tree()).toSorted()).toEqual(EXPECTED.filter((path) => path in scratch.tree()));
    // It may have been ended after deleting, and before undoing that.
    if (!existsSync(scratch.at("kept"))) await scratch.undo();
    expect(scratch.read("kept/inside")).toBe("kept");
  });
});

/** By chance, and with a real signal. That every moment is safe is shown one by one beside this; e2e kills whole servers. */
const KILLS = 20;
const EXPECTED = [
  "group/",
  "group/a",
  "group/b",
  "group/c",
  "kept/",
  "kept/inside",
  "log",
  "moved",
  "mover",
  "single",
];

function prepare(scratch: Scratch): void {
  for (const name of ["a", "b", "c"]) scratch.write(`group/${name}`, "go left");
  scratch.write("single", "a".repeat(1000));
  scratch.write("log", "");
  scratch.write("mover", "moving");
  scratch.write("kept/inside", "kept");
}

async function killOnce(root: string): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [writer, root], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await Promise.race([once(child.stdout ?? child, "data"), ended]);
  await wait(Math.random() * 25);
  child.kill("SIGKILL");
  const [code, signal] = (await ended) as [number | null, string | null];
  // It must have been us: a writer that fails by itself has found something wrong.
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
}

/** Whole, at any moment. */
function verifyContents(scratch: Scratch): void {
  expect(scratch.read("single")).toMatch(/^([a-z])\1{999}$/);
  expect(scratch.read("log")).toMatch(/^(whole line\n)*$/);
  for (const name of ["a", "b", "c"]) expect(scratch.read(`group/${name}`)).toMatch(/^go (left|right)$/);
  const moving = ["mover", "moved"].filter((name) => existsSync(scratch.at(name)));
  expect(moving.map((name) => scratch.read(name))).toContain("moving");
}

it("fails a write that does not fit, and leaves the file as it was", async () => {
  const scratch = new Scratch();
  prepare(scratch);
  // The shell's limit for files, in blocks of 512 or 1024 bytes: the records fit, a file of 100,000 bytes does not.
  const script = 'ulimit -f 40; exec "$@"';
  const failed = run("sh", ["-c", script, "sh", process.execPath, writer, scratch.root, "100000"], {
    timeout: 280_000,
  });
  await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining("too large") });
  expect(scratch.read("single")).toBe("a".repeat(1000));
  expect(scratch.leftovers()).toEqual([]);
  expect(scratch.entries()).toEqual([]);
});
