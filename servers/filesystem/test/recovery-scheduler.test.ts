import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PathGuard } from "@suite/server-kit/domain";
import { expect, it, onTestFinished, vi } from "vitest";

import { TRASH_NAME } from "../src/domain/reserved-names.ts";
import { ChangeJournal } from "../src/domain/writing/changes/journal.ts";
import { RecoveryScheduler } from "../src/recovery-scheduler.ts";

it("cleans up once per boundary, and remembers only so many", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recovery-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, TRASH_NAME));
  const limits = { maxEntries: 10, maxBytes: 1000, maxAgeMs: 1000 };
  const changes = new ChangeJournal({ keep: true, isShared: false, pid: process.pid, ...limits });
  // A recovery asks for it once.
  const owner = vi.spyOn(changes, "owner");
  const warnings: string[] = [];
  const log = { warning: (message: string) => void warnings.push(message) };
  const scheduler = new RecoveryScheduler(changes, log, false);
  const guard = new PathGuard({ roots: [folder] });
  scheduler.schedule(guard);
  scheduler.schedule(new PathGuard({ roots: [folder] }));
  for (let count = 0; count < 100; count += 1) {
    scheduler.schedule(new PathGuard({ roots: [join(folder, String(count))] }));
  }
  await expect.poll(() => owner.mock.calls.length).toBe(1);
  scheduler.schedule(guard);
  await expect.poll(() => owner.mock.calls.length).toBe(2);
  await scheduler.close();
  expect(warnings).toEqual([]);
});
