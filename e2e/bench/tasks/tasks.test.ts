import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { measureTasks, TASK_SERVERS } from "./suite.ts";

const folder = mkdtempSync(join(tmpdir(), "suite-tasks-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(TASK_SERVERS)("the tasks of $name", (server) => {
  it("cost a model no more than they may, in either view", async () => {
    const costs = await measureTasks(server, folder);
    for (const { name, tokens } of server.tasks) {
      const { text = Infinity, structured = Infinity } = costs.get(name) ?? {};
      expect.soft(text, `${name}: text`).toBeLessThanOrEqual(tokens);
      expect.soft(structured, `${name}: structured`).toBeLessThanOrEqual(tokens);
      expect.soft(tokens).toBeLessThan(10_000);
    }
  });
});
