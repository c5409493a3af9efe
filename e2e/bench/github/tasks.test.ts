import { expect, it } from "vitest";

import { measureGithubTasks } from "./suite.ts";
import { GITHUB_TASKS } from "./tasks.ts";

it("tasks on GitHub cost a model no more than they may, in either view", async () => {
  const costs = await measureGithubTasks();
  expect(costs.size).toBe(12);
  for (const { name, tokens } of GITHUB_TASKS) {
    const { text = Infinity, structured = Infinity } = costs.get(name) ?? {};
    expect.soft(text, `${name}: text`).toBeLessThanOrEqual(tokens);
    expect.soft(structured, `${name}: structured`).toBeLessThanOrEqual(tokens);
  }
});
