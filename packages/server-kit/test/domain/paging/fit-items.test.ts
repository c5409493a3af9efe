import * as fc from "fast-check";
import { expect, it } from "vitest";

import { fitItems } from "../../../src/domain/paging/fit-items.ts";

it("takes what fits, in order, and leaves the rest", () => {
  expect(fitItems(["aaa", "bb", "c"], 11)).toEqual({ items: ["aaa", "bb"], rest: ["c"] });
  expect(fitItems(["aaa", "bb", "c"], 5)).toEqual({ items: [], rest: ["aaa", "bb", "c"] });
  expect(fitItems([1, 2, 3], 5, (item) => item)).toEqual({ items: [1, 2], rest: [3] });
});

it("never exceeds the budget as JSON, and loses nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), fc.nat(200), (list, budget) => {
      const { items, rest } = fitItems(list, budget);
      expect([...items, ...rest]).toEqual(list);
      // Without the brackets around it.
      expect(JSON.stringify(items).length - 2).toBeLessThanOrEqual(Math.max(budget, 0));
    }),
  );
});
