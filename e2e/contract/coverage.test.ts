import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { inRoot } from "../support/root.ts";
import { CONTRACT_ROWS } from "./rows.ts";
import { titlesIn } from "./titles.ts";

const rows = Object.values(CONTRACT_ROWS).flat();

describe("the rows of the contract", () => {
  it("are 33", () => {
    const numbers = rows.map(({ number }) => number).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 33 }, (_, at) => at + 1));
  });

  it("are each shown by tests that are there", () => {
    expect(rows.filter(({ shownBy }) => shownBy.length === 0)).toEqual([]);
    const missing = rows.flatMap(({ number, shownBy }) =>
      shownBy
        .filter((cited) => {
          const [file = "", title = ""] = cited.split(/ > (.*)/);
          const path = inRoot(file);
          return !existsSync(path) || !titlesIn(path, readFileSync(path, "utf8")).has(title);
        })
        .map((cited) => `${number}. ${cited}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("the search for titles", () => {
  it("finds tests that are run, and no others", () => {
    const text = [
      'describe("a", () => { it("one", run); });',
      'it.each([1])("two %s", run);',
      'it.each<number>([1])("three", run);',
      "it(`four ${x}`, run);",
      'it.skip("five", run);',
      'it.skip.each([1])("six", run);',
      'it.todo("seven");',
      'other("eight", run);',
    ].join("\n");
    expect([...titlesIn("x.test.ts", text)].toSorted()).toEqual(["four ", "one", "three", "two %s"]);
  });
});
