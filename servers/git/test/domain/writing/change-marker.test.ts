import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

const FILE = (): string => join(root, "suite", "writing.json");
const write = (server: object, ...gits: readonly object[]): void => {
  const lines = [{ ...server, started: Date.now() }, ...gits];
  writeFileSync(FILE(), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
};

it.each<[whose: string, server: object, gits: readonly object[]]>([
  ["held", { pid: 7 }, []],
  ["held", { pid: 8 }, [{ pid: 9 }]],
  ["held", { pid: 7, start: "start of 7" }, []],
  ["nobody's", { pid: 7, start: "earlier" }, []],
  ["held", { pid: 8, start: "earlier" }, [{ pid: 9, start: "start of 9" }]],
  ["held", { pid: 8 }, [{ pid: 10 }, { pid: 9 }, { pid: 10 }]],
  ["nobody's", { pid: 8 }, [{ pid: 9, start: "earlier" }]],
  ["nobody's", { pid: 8 }, [{ pid: 9 }, { pid: 9, hasEnded: true }]],
  // Its start is not known, or its leader has ended before the others of its group.
  ["held", { pid: 6, start: "earlier" }, []],
  ["held", { pid: 8 }, [{ pid: 6, start: "earlier" }]],
  ["nobody's", { pid: 8 }, [{ pid: 10 }]],
  ["nobody's", { pid: 8 }, [{ pid: 0 }]],
  ["nobody's", { pid: 8 }, [{ pid: 1 }]],
  ["nobody's", { pid: -9 }, []],
])("is %s if it says %j %j", (whose, server, gits) => {
  write(server, ...gits);
  expect(clearStale(toRepository(), PROCESSES)).toBe(whose !== "held");
});

it("is held by its server also while a line is added to it", () => {
  write({ pid: 7 });
  appendFileSync(FILE(), '{"pid":');
  expect(clearStale(toRepository(), PROCESSES)).toBe(false);
});

it("names each process that the write has started, and says which have ended", async () => {
  clearStale(toRepository(), { ...PROCESSES, isRunning: () => false });
  const marker = await ChangeMarker.take(toRepository(), PROCESSES, new AbortController().signal);
  for (const pid of [6, 9]) marker.started(pid);
  marker.ended(6);
  const [server, ...gits] = readFileSync(FILE(), "utf8").trimEnd().split("\n");
  expect(JSON.parse(server ?? "")).toMatchObject({ pid: 5, start: "start of 5" });
  expect(gits).toEqual(['{"pid":6}', '{"pid":9,"start":"start of 9"}', '{"pid":6,"hasEnded":true}']);
  marker.release();
  // Of one that did not end in time.
  marker.ended(9);
  expect(existsSync(FILE())).toBe(false);
});

it("who waits in vain is told which file says so", async () => {
  write({ pid: 7 });
  let now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 10_000));
  const { signal } = new AbortController();
  await expect(ChangeMarker.take(toRepository(), PROCESSES, signal)).rejects.toMatchObject({
    code: "unavailable",
    hint: expect.stringContaining(FILE()) as unknown,
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
