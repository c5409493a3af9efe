import { expect, it } from "vitest";
import { withSection } from "./figures.ts";

const SUITES = ["one", "two", "three"];
const toSection = (suite: string, report: string): Parameters<typeof withSection>[1] => ({
  suite,
  command: `npm run bench -- ${suite}`,
  machine: "a machine",
  report,
});

it("a suite's figures take the place of its old ones, in the order of the suites", () => {
  const first = withSection("", toSection("three", "| 3 |"), SUITES);
  const second = withSection(first, toSection("one", "| 1 |"), SUITES);
  const third = withSection(second, toSection("three", "| 33 |"), SUITES);
  expect(third.split("\n## ").slice(1)).toEqual([
    "one\n\n`npm run bench -- one`: a machine\n\n| 1 |\n",
    "three\n\n`npm run bench -- three`: a machine\n\n| 33 |\n",
  ]);
  expect(withSection(third, toSection("three", "| 33 |"), SUITES)).toBe(third);
});
