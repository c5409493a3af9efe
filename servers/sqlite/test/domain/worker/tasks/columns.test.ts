import { expect, it } from "vitest";
import { chooserOf, type TableColumn } from "../../../../src/domain/worker/tasks/columns.ts";

it("columns are found at once among very many", () => {
  const known = Array.from({ length: 2000 }, (_, at): TableColumn => {
    return { name: `Column ${at}`, type: "", affinity: "NONE", isGenerated: false, hasDefault: false };
  });
  const wanted = known.map(({ name }) => ` ${name.toUpperCase()} `);
  const before = process.cpuUsage();
  expect(chooserOf("t", known)(wanted)).toEqual(known);
  // The work, not the time: a look at all columns for each of them takes seconds on any machine.
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
