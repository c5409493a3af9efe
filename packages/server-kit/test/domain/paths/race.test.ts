import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { once } from "node:events";
import { needs } from "@suite/core/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import { PathGuard } from "../../../src/domain/paths/guard.ts";
import type { SafePath } from "../../../src/domain/paths/path-rules.ts";
import { useScratch } from "./scratch.ts";

const DURATION_MS = 1500;
/** A busy machine may need longer until enough has happened. */
const PATIENCE_MS = 120_000;
const REFUSALS: ReadonlySet<string> = new Set([
  "permission_denied",
  "conflict",
  "not_found",
  "invalid_input",
  "unsupported",
]);

/** Puts what is at `link` in something's place and takes it away again, staying at each for a moment. */
const FLIPPER = `
  const { renameSync } = require("node:fs");
  const { parentPort, workerData: { path, link, control } } = require("node:worker_threads");
  const state = new Int32Array(control);
  const stay = () => { for (const end = performance.now() + Math.random() / 10; performance.now() < end;); };
  parentPort.postMessage("ready");
  while (Atomics.load(state, 0) === 0) {
    renameSync(path, path + ".parked");
    renameSync(link, path);
    stay();
    renameSync(path, link);
    renameSync(path + ".parked", path);
    stay();
    Atomics.add(state, 1, 1);
  }
`;

const scratch = useScratch();
let guard: PathGuard;
beforeEach(() => {
  guard = new PathGuard({ roots: [scratch.root] });
  for (const name of ["file", "deep/file"]) {
    scratch.write(`root/flip/${name}`, "inside");
    scratch.write(`outside/${name}`, "SECRET");
  }
  symlinkSync(scratch.outside, join(scratch.root, "link"));
  mkdirSync(join(scratch.root, "still"));
  scratch.write("root/still/flip", "inside");
});

interface Tally {
  flips: number;
  done: number;
  refused: number;
}

/** Repeats the work while `flip` in a directory flips. Being refused is fine; failing in any other way is not. */
async function whileFlipping(directory: string, work: (round: number) => void): Promise<Tally> {
  const control = new SharedArrayBuffer(8);
  const state = new Int32Array(control);
  const [path, link] = [join(directory, "flip"), join(directory, "link")];
  const worker = new Worker(FLIPPER, { eval: true, workerData: { path, link, control } });
  const ended = once(worker, "exit");
  await once(worker, "message");
  const tally: Tally = { flips: 0, done: 0, refused: 0 };
  const start = performance.now();
  try {
    for (let round = 0; !isOver(performance.now() - start, tally); round += 1) {
      try {
        work(round);
        tally.done += 1;
      } catch (error) {
        if (!(error instanceof Fault) || !REFUSALS.has(error.code)) throw error;
        tally.refused += 1;
      }
      tally.flips = Atomics.load(state, 1);
    }
  } finally {
    Atomics.store(state, 0, 1);
    await ended;
  }
  return tally;
}

const isBusy = ({ flips, done, refused }: Tally): boolean => Math.min(flips, done, refused) > 100;
const isOver = (elapsedMs: number, tally: Tally): boolean =>
  elapsedMs > (isBusy(tally) ? DURATION_MS : PATIENCE_MS);

/** Every file outside, with its text. */
const readOutside = (): string[] =>
  readdirSync(scratch.outside, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => `${name}: ${readFileSync(join(parentPath, name), "utf8")}`);

const inRoot = (path: string): string => join(scratch.root, path);

/** Every other time the check lies far back, as if much had happened since. */
const locate = (path: string, round: number): SafePath =>
  round % 2 === 0 ? guard.locate(inRoot(path)) : (inRoot(path) as SafePath);

const pick = <T>(round: number, ...choices: readonly T[]): T => choices[(round >> 1) % choices.length] as T;

needs(describe, "/proc")("while a directory becomes a link to the outside, and back", () => {
  it("nothing outside is read", async () => {
    const texts = new Set<string>();
    const tally = await whileFlipping(scratch.root, (round) => {
      const file = guard.openFile(locate(pick(round, "flip/file", "flip/deep/file"), round));
      texts.add(readFileSync(file.fd, "utf8"));
      file.close();
    });
    expect(isBusy(tally), JSON.stringify(tally)).toBe(true);
    expect([...texts]).toEqual(["inside"]);
  });

  it("work in a held directory stays in it, and nothing outside is created, changed or emptied", async () => {
    const before = readOutside();
    const texts = new Set<string>();
    const tally = await whileFlipping(scratch.root, (round) => {
      const { directory, name } = guard.holdParent(locate(pick(round, "flip/file", "flip/new"), round));
      try {
        writeFileSync(directory.at(name), "inside");
        const deep = directory.enter("deep");
        for (const entry of readdirSync(deep.at())) texts.add(readFileSync(deep.at(entry), "utf8"));
        deep.close();
      } finally {
        directory.close();
      }
    });
    expect(isBusy(tally), JSON.stringify(tally)).toBe(true);
    expect([...texts]).toEqual(["inside"]);
    expect(readOutside()).toEqual(before);
  });
});

needs(describe, "/proc")("while a file becomes something else, and back", () => {
  it.each<[what: string, put: (at: string) => void]>([
    ["link to the outside is followed", (at) => symlinkSync(join(scratch.outside, "file"), at)],
    ["pipe is waited for or read", (at) => void execFileSync("mkfifo", [at])],
  ])("no %s", async (_, put) => {
    put(inRoot("still/link"));
    const texts = new Set<string>();
    const tally = await whileFlipping(inRoot("still"), (round) => {
      const file = guard.openFile(locate("still/flip", round));
      texts.add(readFileSync(file.fd, "utf8"));
      file.close();
    });
    expect(isBusy(tally), JSON.stringify(tally)).toBe(true);
    expect([...texts]).toEqual(["inside"]);
  });
});
