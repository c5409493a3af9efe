import { expect, it, vi } from "vitest";

import { rename } from "../../../src/domain/paths/rename.ts";

const failing = (code: string, times: number) =>
  vi.fn<(from: string, to: string) => void>(() => {
    times -= 1;
    if (times >= 0) throw Object.assign(new Error(code), { code });
  });

it.each([
  ["on Windows, a file that is open for a moment is waited for", "win32", "EPERM", 3, 4, undefined],
  ["not for ever", "win32", "EBUSY", 100, 6, "EBUSY"],
  ["nor for what is not there", "win32", "ENOENT", 1, 1, "ENOENT"],
  ["elsewhere a refusal is final", "linux", "EPERM", 1, 1, "EPERM"],
] as const)("%s", (_, platform, code, times, tries, thrown) => {
  const attempt = failing(code, times);
  let failure: unknown;
  try {
    rename("a", "b", attempt, platform);
  } catch (error) {
    failure = error;
  }
  expect((failure as Error | undefined)?.message).toBe(thrown);
  expect(attempt).toHaveBeenCalledTimes(tries);
  expect(attempt).toHaveBeenLastCalledWith("a", "b");
});
