import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { SafePath } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import type { Repository } from "../../../src/domain/repository/repository.ts";
import { clearStale, ChangeMarker } from "../../../src/domain/writing/change-marker.ts";

let root = "" as SafePath;
beforeAll(() => mkdirSync(join((root = mkdtempSync(join(tmpdir(), "suite-mark-")) as SafePath), "suite")));
afterAll(() => rmSync(root, { recursive: true }));

const toRepository = (commonDir: SafePath = root): Repository => ({
  root,
  gitDir: commonDir,
  commonDir,
  isBare: true,
  settings: [],
  overrides: () => [],
});
/** As the system says it: our own group is running, and so is some process. */
const RUNNING = new Set([6, -6, 7, -9, 0, -1]);
const PROCESSES = {
  pid: 5,
  isRunning: (pid: number) => RUNNING.has(pid),
  startOf: (pid: number) => (pid === 6 ? undefined : `start of ${pid}`),
  findUnheld: () => [],
};

const write = (mark: object): void =>
  writeFileSync(join(root, "suite", "writing.json"), JSON.stringify({ ...mark, started: Date.now() }));

it.each([
  [{ pid: 7, gits: [] }, "held"],
  [{ pid: 8, gits: [9] }, "held"],
  [{ pid: 7, gits: [], starts: { 7: "start of 7" } }, "held"],
  [{ pid: 7, gits: [], starts: { 7: "earlier" } }, "nobody's"],
  [{ pid: 8, gits: [9], starts: { 8: "earlier", 9: "start of 9" } }, "held"],
  [{ pid: 8, gits: [9], starts: { 9: "earlier" } }, "nobody's"],
  // Its start is not known, or its leader has ended before the others of its group.
  [{ pid: 6, gits: [], starts: { 6: "earlier" } }, "held"],
  [{ pid: 8, gits: [6], starts: { 6: "earlier" } }, "held"],
  [{ pid: 8, gits: [10] }, "nobody's"],
  [{ pid: 8, gits: [0] }, "nobody's"],
  [{ pid: 8, gits: [1] }, "nobody's"],
  [{ pid: -9, gits: [] }, "nobody's"],
])("the mark %j is %s", (mark, whose) => {
  write(mark);
  expect(clearStale(toRepository(), PROCESSES)).toBe(whose !== "held");
});

it("a mark knows of no more processes than those that run, however many a write has started", async () => {
  clearStale(toRepository(), { ...PROCESSES, isRunning: () => false });
  const marker = await ChangeMarker.take(toRepository(), PROCESSES, new AbortController().signal);
  for (let pid = 9; pid < 20; pid += 1) marker.started(pid);
  const { gits, starts } = JSON.parse(readFileSync(join(root, "suite", "writing.json"), "utf8")) as {
    gits: number[];
    starts: object;
  };
  expect(gits).toEqual([9, 19]);
  expect(starts).toEqual({ 5: "start of 5", 9: "start of 9", 19: "start of 19" });
  marker.release();
});

it("who waits in vain is told which file says so", async () => {
  write({ pid: 7, gits: [] });
  let now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 10_000));
  const { signal } = new AbortController();
  await expect(ChangeMarker.take(toRepository(), PROCESSES, signal)).rejects.toMatchObject({
    code: "unavailable",
    hint: expect.stringContaining(join(root, "suite", "writing.json")) as unknown,
  });
  clock.mockRestore();
});

needs(it, "symbolic links")("a mark that cannot be made says why, and blames no other server", async () => {
  const other = join(root, "other") as SafePath;
  mkdirSync(other);
  // No file can be made there.
  symlinkSync("/dev/fd", join(other, "suite"));
  const { signal } = new AbortController();
  await expect(ChangeMarker.take(toRepository(other), PROCESSES, signal)).rejects.toMatchObject({
    syscall: "open",
  });
});
