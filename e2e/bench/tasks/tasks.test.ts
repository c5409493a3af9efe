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
  ["filesystem", prepareFilesystem, FILESYSTEM_TASKS, Infinity],
  ["sqlite", prepareSqlite, SQLITE_TASKS, Infinity],
  // What the structured results may cost for each token of the texts, over all tasks.
  ["git", prepareGit, GIT_TASKS, 1.2],
] as const)("the tasks of %s cost a model no more tokens than they may, in either view", async (...given) => {
  const [server, prepare, tasks, ratio] = given;
  const sum = { text: 0, structured: 0 };
  const program = join(homeOf(`@suite/server-${server}`), "dist/main.js");
  const client = await spawnServer(process.execPath, { args: [program, ...prepare(createPlace())] });
  // In this order, on the same data.
  for (const task of tasks) {
    const { text, structured } = await measureTask(client, task);
    expect.soft(text, `${task.name}: text`).toBeLessThanOrEqual(task.tokens);
    expect.soft(structured, `${task.name}: structured`).toBeLessThanOrEqual(task.tokens);
    expect.soft(task.tokens).toBeLessThan(10_000);
    sum.text += text;
    sum.structured += structured;
  }
  expect(sum.structured / sum.text).toBeLessThanOrEqual(ratio);
  await client.close();
});
