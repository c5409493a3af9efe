import { mkdtempSync } from "node:fs";
import { join } from "node:path";

import { toTable } from "@suite/check";
import { spawnServer } from "@suite/core/client";

import { homeOf } from "../../support/installed.ts";
import type { SuiteOptions } from "../suite.ts";
import { FILESYSTEM_TASKS, prepareFilesystem } from "./filesystem.ts";
import { GIT_TASKS, prepareGit } from "./git.ts";
import { GITHUB_TASKS, prepareGithub } from "./github.ts";
import { prepareSqlite, SQLITE_TASKS } from "./sqlite.ts";
import { type BenchTask, type Cost, measureTask } from "./task.ts";

export interface TaskServer {
  readonly name: string;
  /** Makes the data in this folder, and returns the server's arguments. */
  readonly prepare: (folder: string) => readonly string[] | Promise<readonly string[]>;
  /** In this order, on the same data. */
  readonly tasks: readonly BenchTask[];
}

/** A server joins with its tasks. */
export const TASK_SERVERS: readonly TaskServer[] = [
  { name: "filesystem", prepare: prepareFilesystem, tasks: FILESYSTEM_TASKS },
  { name: "sqlite", prepare: prepareSqlite, tasks: SQLITE_TASKS },
  { name: "git", prepare: prepareGit, tasks: GIT_TASKS },
  { name: "github", prepare: prepareGithub, tasks: GITHUB_TASKS },
];

export async function measureTasks(
  { name, prepare, tasks }: TaskServer,
  folder: string,
  onTask: (task: string) => void = () => {},
): Promise<readonly Cost[]> {
  const program = join(homeOf(`@suite/server-${name}`), "dist/main.js");
  const client = await spawnServer(process.execPath, { args: [program, ...(await prepare(folder))] });
  const costs: Cost[] = [];
  try {
    for (const task of tasks) {
      onTask(task.name);
      costs.push(await measureTask(client, task));
    }
  } finally {
    await client.close();
  }
  return costs;
}

/** What tasks cost a model: calls, and tokens of each view; one line for all tasks of a server. */
export async function run({ folder, only, signal, showProgress }: SuiteOptions): Promise<string> {
  const rows: string[][] = [];
  for (const server of TASK_SERVERS.filter(({ name }) => only?.includes(name) ?? true)) {
    signal.throwIfAborted();
    const costs = await measureTasks(server, mkdtempSync(join(folder, server.name)), showProgress);
    rows.push(...costs.map((cost, at) => toRow(server.tasks[at]?.name ?? "", cost)));
    rows.push(toRow(`${server.name}, all ${costs.length}`, costs.reduce(add)));
  }
  const header = ["task", "calls", "tokens in", "of text", "of structured", "structured per text"];
  return toTable(header, rows);
}

const add = (one: Cost, other: Cost): Cost => ({
  calls: one.calls + other.calls,
  in: one.in + other.in,
  text: one.text + other.text,
  structured: one.structured + other.structured,
});

const toRow = (name: string, { calls, in: given, text, structured }: Cost): string[] => [
  name,
  ...[calls, given, text, structured].map(String),
  (structured / text).toFixed(2),
];
