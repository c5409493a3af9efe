import { describe, expect, it } from "vitest";

import { createPlace } from "../../support/place.ts";
import { measureTasks, TASK_SERVERS } from "./suite.ts";

describe.each(TASK_SERVERS)("the tasks of $name", (server) => {
  it("cost a model no more than they may, in either view", async () => {
    const costs = await measureTasks(server, createPlace());
    for (const { name, tokens } of server.tasks) {
      const { text = Infinity, structured = Infinity } = costs.get(name) ?? {};
      expect.soft(text, `${name}: text`).toBeLessThanOrEqual(tokens);
      expect.soft(structured, `${name}: structured`).toBeLessThanOrEqual(tokens);
      expect.soft(tokens).toBeLessThan(10_000);
    }
  });
});
