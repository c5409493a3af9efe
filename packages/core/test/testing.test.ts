import { expect, it, onTestFinished, vi } from "vitest";

import { createServer } from "../src/index.ts";
import { needs, openLine } from "../src/testing.ts";
import { MODERN } from "./revisions.ts";
import { skipWaits } from "./transcript.ts";

it("a line waits for an answer that a busy machine takes long to give", async () => {
  skipWaits();
  const run = (): Promise<string> => new Promise((resolve) => setTimeout(() => resolve("late"), 50_000));
  const server = createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });
  const line = await openLine(server, { revision: MODERN });
  expect(await line.request("tools/call", { name: "t" })).toMatchObject({ result: {} });
});

it("a test of what the platform lacks is skipped, and its name says why", () => {
  const { platform } = process;
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
  type Add = (name: string, run: () => void, timeoutMs?: number) => void;
  const [block, skip, each] = [vi.fn<Add>(), vi.fn<Add>(), vi.fn<Add>()];
  const forEach = { each: (_cases: readonly number[]) => each };
  const fake = Object.assign(block, forEach, { skip: Object.assign(skip, forEach) });
  const run = (): void => undefined;
  for (const value of ["linux", "darwin", "win32"]) {
    Object.defineProperty(process, "platform", { value });
    needs(fake, "/proc", "signals")(value, run);
    needs(fake, "signals").each([1])(value, run, 7);
  }
  expect(block.mock.calls).toEqual([["linux", run]]);
  expect(skip.mock.calls).toEqual([
    ["darwin (needs /proc)", run],
    ["win32 (needs /proc, signals)", run],
  ]);
  expect(each.mock.calls).toEqual([
    ["linux", run, 7],
    ["darwin", run, 7],
    ["win32 (needs signals)", run, 7],
  ]);
});
