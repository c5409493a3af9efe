import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { spawnServer } from "@suite/core/client";

import { formatTable } from "../measure/table.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { FILESYSTEM_TASKS, prepareFilesystem } from "./filesystem.ts";
import { GIT_TASKS, prepareGit } from "./git.ts";
import { prepareSqlite, SQLITE_TASKS } from "./sqlite.ts";
import { type Cost, measureTask, type Task } from "./task.ts";

export interface TaskServer {
  readonly name: string;
  readonly prepare: (folder: string) => readonly string[];
  /** In this order, on the same data. */
  readonly tasks: readonly Task[];
}

/** A server joins with its tasks. */
export const TASK_SERVERS: readonly TaskServer[] = [
  { name: "filesystem", prepare: prepareFilesystem, tasks: FILESYSTEM_TASKS },
  { name: "sqlite", prepare: prepareSqlite, tasks: SQLITE_TASKS },
  { name: "git", prepare: prepareGit, tasks: GIT_TASKS },
];

const { resolve } = createRequire(import.meta.url);

export async function measureTasks(
  { name, prepare, tasks }: TaskServer,
  folder: string,
  onTask: (task: string) => void = () => {},
): Promise<ReadonlyMap<string, Cost>> {
  const program = join(dirname(resolve(`@suite/server-${name}/package.json`)), "dist/main.js");
  const client = await spawnServer(process.execPath, { args: [program, ...prepare(folder)] });
  const costs = new Map<string, Cost>();
  try {
    for (const task of tasks) {
      onTask(task.name);
      costs.set(task.name, await measureTask(client, task));
    }
  } finally {
    await client.close();
  }
  return costs;
}

/** What tasks cost a model: calls, and tokens of each view. */
export async function runTasksSuite({
  folder,
  only,
  signal,
  showProgress,
}: SuiteOptions): Promise<SuiteReport> {
  const chosen = TASK_SERVERS.filter(({ name }) => only?.includes(name) ?? true);
  const costs: [server: string, task: string, cost: Cost][] = [];
  for (const server of chosen) {
    signal.throwIfAborted();
    for (const [task, cost] of await measureTasks(server, folder, showProgress))
      costs.push([server.name, task, cost]);
  }
  const header = ["task", "calls", "tokens in", "tokens of text", "of structured"];
  const rows = costs.map(([, task, cost]) => [task, ...Object.values(cost).map(String)]);
  return { text: formatTable(header, rows), data: { tasks: costs } };
}
