import { join } from "node:path";

import { spawnServer } from "@suite/core/client";

import { startDescribedApi } from "../../github/described-api.ts";
import { ANSWERS } from "../../github/request-rows.ts";
import { homeOf } from "../../support/installed.ts";
import { formatTable } from "../measure/measure.ts";
import type { SuiteOptions } from "../suite.ts";
import { type Cost, measureTask } from "../tasks/task.ts";
import { GITHUB_TASKS } from "./tasks.ts";

interface GithubCost extends Cost {
  readonly requests: number;
  /** Bytes that GitHub answered. */
  readonly rest: number;
}

const program = join(homeOf("@suite/server-github"), "dist/main.js");

/** Beside what GitHub answers to the same requests. */
export async function measureGithubTasks(
  onTask: (task: string) => void = () => {},
): Promise<ReadonlyMap<string, GithubCost>> {
  const api = await startDescribedApi(ANSWERS);
  const costs = new Map<string, GithubCost>();
  try {
    for (const task of GITHUB_TASKS) {
      onTask(task.name);
      const asked = (): number => api.operations.length + api.documents.length;
      const before = { requests: asked(), rest: api.sent() };
      // Each starts with nothing in the cache.
      const client = await spawnServer(process.execPath, {
        args: [program, "--api-url", api.url, "--toolsets", "all"],
      });
      try {
        const cost = await measureTask(client, task);
        costs.set(task.name, {
          ...cost,
          requests: asked() - before.requests,
          rest: api.sent() - before.rest,
        });
      } finally {
        await client.close();
      }
    }
  } finally {
    await api.close();
  }
  return costs;
}

/** What tasks cost a model, beside what GitHub answers to the same requests, on GitHub's own examples. */
export async function run({ signal, showProgress }: SuiteOptions): Promise<string> {
  const costs = await measureGithubTasks((task) => {
    signal.throwIfAborted();
    showProgress(task);
  });
  const rows = [...costs].map(([task, cost]) => [task, ...Object.values(cost).map(String)]);
  const header = [
    "task",
    "calls",
    "tokens in",
    "tokens of text",
    "of structured",
    "requests",
    "bytes of REST",
  ];
  return formatTable(header, rows);
}
