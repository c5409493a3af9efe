import { join } from "node:path";
import { spawnServer } from "@suite/core/client";
import { expect, it } from "vitest";

import { homeOf } from "../../support/installed.ts";
import { createPlace } from "../../support/place.ts";
import { FILESYSTEM_TASKS, prepareFilesystem } from "./filesystem.ts";
import { GIT_TASKS, prepareGit } from "./git.ts";
import { prepareSqlite, SQLITE_TASKS } from "./sqlite.ts";
import { measureTask } from "./task.ts";

it.each([
  ["filesystem", prepareFilesystem, FILESYSTEM_TASKS],
  ["sqlite", prepareSqlite, SQLITE_TASKS],
  ["git", prepareGit, GIT_TASKS],
] as const)("the tasks of %s cost a model no more tokens than they may, in either view", async (...given) => {
  const [server, prepare, tasks] = given;
  const program = join(homeOf(`@suite/server-${server}`), "dist/main.js");
  const client = await spawnServer(process.execPath, { args: [program, ...prepare(createPlace())] });
  // In this order, on the same data.
  for (const task of tasks) {
    const { text, structured } = await measureTask(client, task);
    expect.soft(text, `${task.name}: text`).toBeLessThanOrEqual(task.tokens);
    expect.soft(structured, `${task.name}: structured`).toBeLessThanOrEqual(task.tokens);
    expect.soft(task.tokens).toBeLessThan(10_000);
  }
  await client.close();
});
