import { expect, it } from "vitest";
import { listFailures, listNotRun, listTables, toClosingLine } from "../results.mjs";
import { writeTree } from "./tree.ts";

const toReport = (...files: string[][]): string =>
  JSON.stringify({
    testResults: files.map((tests, file) => ({
      name: `file ${file}`,
      message: tests.length > 0 ? "" : "broken",
      status: tests.includes("failed") || tests.length === 0 ? "failed" : "passed",
      assertionResults: tests.map((status, test) => ({
        status,
        fullName: `test ${test}`,
        failureMessages: status === "failed" ? ["1 is not 2"] : [],
      })),
    })),
  });

it("sums up all runs", () => {
  const folder = writeTree({
    "unit.json": toReport(["passed", "passed"], ["passed", "failed"]),
    "e2e.json": toReport(["passed", "failed", "failed"]),
  });
  expect(toClosingLine(folder, ["unit", "e2e"])).toBe("4 passed, 3 failed");
});

it("counts a file that broke before its first test, and a step without tests", () => {
  const folder = writeTree({ "unit.json": toReport(["passed"], []) });
  expect(toClosingLine(folder, ["unit"])).toBe("1 passed, 1 failed");
  expect(toClosingLine(folder, ["lint", "unit"])).toBe("1 passed, 2 failed");
});

it("counts a run that ended without a report", () => {
  expect(toClosingLine(writeTree({}), ["build"])).toBe("0 passed, 1 failed");
});

it("names what failed, and why", () => {
  const folder = writeTree({
    "unit.json": toReport(["passed", "failed"], ["passed"], []),
    "e2e.json": toReport(["failed"]),
  });
  expect(listFailures(folder)).toEqual([
    "file 0 > test 1\n1 is not 2",
    "file 2\nbroken",
    "file 0 > test 0\n1 is not 2",
  ]);
  expect(listFailures(writeTree({}))).toEqual([]);
});

it("names what was not run, and counts it neither way", () => {
  const folder = writeTree({ "e2e.json": toReport(["passed", "skipped"], ["passed"]) });
  expect(listNotRun(folder)).toEqual(["file 0 > test 1"]);
  expect(toClosingLine(folder, [])).toBe("2 passed, 0 failed, 1 not run");
  expect(listNotRun(writeTree({ "soak.json": toReport(["skipped"]) }))).toEqual(["file 0 > test 0"]);
});

it("has the tables that tests drew up, whether they passed or not", () => {
  const [passed, failed] = ["passed", "failed"].map((status) => ({
    status,
    fullName: "test",
    failureMessages: [],
    meta: status === "failed" ? { table: "| a |" } : {},
  }));
  const file = { name: "file", status: "failed", message: "", assertionResults: [passed, failed] };
  const folder = writeTree({ "e2e.json": JSON.stringify({ testResults: [file] }) });
  expect(listTables(folder)).toEqual(["| a |"]);
});
