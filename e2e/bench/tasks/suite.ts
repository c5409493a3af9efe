import { mkdtempSync } from "node:fs";
import { join } from "node:path";

import { spawnServer } from "@suite/core/client";

import { homeOf } from "../../support/installed.ts";
import { formatTable } from "../measure/table.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { FILESYSTEM_TASKS, prepareFilesystem, toReferenceTasks } from "./filesystem.ts";
import { GIT_TASKS, prepareGit } from "./git.ts";
import { prepareSqlite, SQLITE_TASKS } from "./sqlite.ts";
import { type BenchTask, type Cost, measureTask } from "./task.ts";

type UnboundedTask = Omit<BenchTask, "tokens">;

export interface TaskServer {
  readonly name: string;
  readonly prepare: (folder: string) => readonly string[];
  /** In this order, on the same data. */
  readonly tasks: readonly BenchTask[];
  /** Another server, and what it can do of the same, given what ours is started with. */
  readonly reference?: {
    readonly program: readonly [name: string, file: string];
    readonly toTasks: (args: readonly string[]) => readonly UnboundedTask[];
  };
}

/** A server joins with its tasks. */
export const TASK_SERVERS: readonly TaskServer[] = [
  {
    name: "filesystem",
    prepare: prepareFilesystem,
    tasks: FILESYSTEM_TASKS,
    reference: {
      program: ["@modelcontextprotocol/server-filesystem", "dist/index.js"],
      toTasks: toReferenceTasks,
    },
  },
  { name: "sqlite", prepare: prepareSqlite, tasks: SQLITE_TASKS },
  { name: "git", prepare: prepareGit, tasks: GIT_TASKS },
];

type Costs = ReadonlyMap<string, Cost>;

export const measureTasks = (
  { name, prepare, tasks }: TaskServer,
  folder: string,
  onTask: (task: string) => void = () => {},
): Promise<Costs> => measure([`@suite/server-${name}`, "dist/main.js"], prepare(folder), tasks, onTask);

/** On a copy of its own. None where there is nothing to compare with. */
export async function measureReference({ prepare, reference }: TaskServer, folder: string): Promise<Costs> {
  if (!reference) return new Map();
  const args = prepare(mkdtempSync(join(folder, "reference-")));
  return measure(reference.program, args, reference.toTasks(args), () => {});
}

async function measure(
  [name, file]: readonly [name: string, file: string],
  args: readonly string[],
  tasks: readonly UnboundedTask[],
  onTask: (task: string) => void,
): Promise<Costs> {
  const client = await spawnServer(process.execPath, { args: [join(homeOf(name), file), ...args] });
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

/** What tasks cost a model: calls, and tokens of each view; and what they cost with the reference, where it can do them. */
export async function run({ folder, only, signal, showProgress }: SuiteOptions): Promise<SuiteReport> {
  const chosen = TASK_SERVERS.filter(({ name }) => only?.includes(name) ?? true);
  const costs: [server: string, task: string, cost: Cost, reference: Cost | undefined][] = [];
  for (const server of chosen) {
    signal.throwIfAborted();
    const ours = await measureTasks(server, folder, showProgress);
    const reference = await measureReference(server, folder);
    for (const [task, cost] of ours) costs.push([server.name, task, cost, reference.get(task)]);
  }
  const columns = ["calls", "tokens in", "tokens of text", "of structured"];
  const header = ["task", ...columns, ...columns.map((column) => `reference: ${column}`)];
  const rows = costs.map(([, task, cost, reference]) => [
    task,
    ...toCells(cost),
    ...(reference ? toCells(reference) : columns.map(() => "")),
  ]);
  return { text: formatTable(header, rows), data: { tasks: costs } };
}

const toCells = ({ calls, in: given, text, structured }: Cost): string[] =>
  [calls, given, text, structured].map(String);
