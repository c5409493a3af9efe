import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PathGuard, type SafePath } from "@suite/server-kit/domain";
import { expect, it } from "vitest";

import { RepositoryWatchers } from "../../../src/domain/watching/repository-watch.ts";
import { openAt } from "../../../src/domain/repository/repository.ts";

it("a repository that never rests is told of all the same", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "suite-watch-"))) as SafePath;
  for (const folder of ["objects", "refs/heads"]) mkdirSync(join(root, ".git", folder), { recursive: true });
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  const repository = openAt(new PathGuard({ roots: [root] }), root, { trusted: false });
  if (!repository) throw new Error("It is no repository");
  const watchers = new RepositoryWatchers();
  let told = 0;
  const read = (): Promise<string> => Promise.resolve(readdirSync(root).join());
  watchers.watch(repository, read, "status", () => (told += 1));
  let files = 0;
  const writing = setInterval(() => writeFileSync(join(root, String((files += 1))), ""), 20);
  await expect.poll(() => told).toBeGreaterThanOrEqual(2);
  clearInterval(writing);
  await watchers.close();
  rmSync(root, { recursive: true });
});
