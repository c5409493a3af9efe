import { describe, expect, it } from "vitest";

import { createPlace } from "../../support/place.ts";
import { measureTasks, TASK_SERVERS } from "./suite.ts";

/** What the structured results may cost for each token of the texts, over all tasks of a server. */
const MOST_PER_TEXT = 1.2;

describe.each(TASK_SERVERS)("the tasks of $name", (server) => {
  it("cost a model no more tokens than they may, in either view", async () => {
    const costs = await measureTasks(server, createPlace());
    expect(costs).toHaveLength(server.tasks.length);
    const sum = { text: 0, structured: 0 };
    for (const [at, { text, structured }] of costs.entries()) {
      const { name = "", tokens = 0 } = server.tasks[at] ?? {};
      expect.soft(text, `${name}: text`).toBeLessThanOrEqual(tokens);
      expect.soft(structured, `${name}: structured`).toBeLessThanOrEqual(tokens);
      expect.soft(tokens).toBeLessThan(10_000);
      sum.text += text;
      sum.structured += structured;
    }
    expect(sum.structured / sum.text).toBeLessThanOrEqual(MOST_PER_TEXT);
  });
});
