import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkBoundaries } from "../boundaries.mjs";
import { forbiddenGlobals, forbiddenImports } from "../boundaries.rules.mjs";
import { clean, violations } from "./boundaries.fixtures.ts";
import { writeTree } from "./tree.ts";

const rulesBroken = (tree: Record<string, string>): string[] => [
  ...new Set(checkBoundaries(writeTree(tree)).problems.map(({ rule }) => rule)),
];

describe("boundaries", () => {
  it("pass a repository that keeps every rule", () => {
    const { files, edges, problems } = checkBoundaries(writeTree(clean));
    expect(problems).toEqual([]);
    expect({ files, edges }).toEqual({ files: 34, edges: 30 });
  });

  const cases = Object.entries(violations).flatMap(([rule, trees]) =>
    trees.map((tree) => ({ rule, tree, name: Object.keys(tree)[0] })),
  );
  it.each(cases)("$rule: $name", ({ rule, tree }) => {
    expect(rulesBroken({ ...clean, ...tree })).toEqual([rule]);
  });

  it("fail when they see no files, no imports, or not the files the rules are about", () => {
    const withoutNodeEntry = Object.fromEntries(
      Object.entries(clean).filter(([path]) => !/node\.ts/.test(path)),
    );
    expect(rulesBroken({})).toEqual(["something-to-check"]);
    expect(rulesBroken({ "packages/core/src/index.ts": "" })).toEqual(["something-to-check"]);
    expect(rulesBroken(withoutNodeEntry)).toContain("something-to-check");
  });

  it("have a violation on file for every rule", () => {
    const checker = readFileSync(new URL("../boundaries.mjs", import.meta.url), "utf8");
    const rules = [...checker.matchAll(/rule: "([^"]+)"/g)].map((match) => String(match[1]));
    const data = [...forbiddenImports, ...forbiddenGlobals].map(({ rule }) => rule);
    expect(Object.keys(violations).toSorted()).toEqual([...new Set([...rules, ...data])].toSorted());
  });
});
