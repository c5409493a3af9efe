import { spawn } from "node:child_process";
import { once } from "node:events";
import { needs } from "@suite/server-kit/testing";
import { expect, it } from "vitest";
import {
  createProcessMark,
  isProcessMark,
  stateOf,
} from "../../../../src/domain/writing/changes/process-mark.ts";

const own = createProcessMark(process.pid);

needs(it, "/proc")("knows itself, and others while they live", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  const mark = createProcessMark(child.pid ?? 0);
  expect(stateOf(own, own)).toBe("alive");
  expect(stateOf(mark, own)).toBe("alive");
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  expect(stateOf(mark, own)).toBe("dead");
});

it("tells a process from one that had its number before", () => {
  expect(stateOf({ ...own, start: "1" }, own)).toBe("dead");
});

needs(it, "/proc")("does not judge other machines, nor where starts are not told", () => {
  expect(stateOf({ ...own, host: "elsewhere" }, own)).toBe("unknown");
  expect(stateOf({ ...own, start: "" }, own)).toBe("unknown");
});

it("survives being written down", () => {
  expect(isProcessMark(JSON.parse(JSON.stringify(own)))).toBe(true);
  for (const other of [undefined, null, {}, { ...own, pid: "1" }, { ...own, host: 1 }]) {
    expect(isProcessMark(other)).toBe(false);
  }
});
