import { lstatSync } from "node:fs";
import { dirname, relative, sep } from "node:path";

import { outermostRoot, type PathGuard, type SafePath } from "@suite/server-kit/domain";

import { openDirectory } from "../open-directory.ts";
import { IgnoreRules, type Level } from "./ignore-rules.ts";
import { readOwnRules, readRules, REPOSITORY } from "./rule-files.ts";
import type { RuleList } from "./rule-list.ts";

/** The rules of the directories above a start, up to the repository's top, and never from outside the boundary. */
export function readRulesAbove(guard: PathGuard, start: SafePath): IgnoreRules {
  const levels: Level[] = [];
  // All between it and the start may be read.
  const boundary = outermostRoot(guard.roots, start) ?? start;
  let directory: string = start;
  while (directory !== boundary) {
    directory = dirname(directory);
    const found = readLevel(guard, directory);
    const above = `${relative(directory, start).replaceAll(sep, "/")}/`;
    levels.push(...found.lists.map((list) => ({ list, above, below: 0 })));
    if (found.isEnd) break;
  }
  return new IgnoreRules(levels);
}

function readLevel(guard: PathGuard, path: string): { lists: readonly RuleList[]; isEnd: boolean } {
  try {
    const directory = openDirectory(guard, guard.locateExact(path));
    try {
      const isEnd = lstatSync(directory.at(REPOSITORY), { throwIfNoEntry: false }) !== undefined;
      const lists = [readRules(directory), isEnd ? readOwnRules(directory) : undefined];
      return { lists: lists.flatMap((list) => list ?? []), isEnd };
    } finally {
      directory.close();
    }
  } catch {
    // What cannot be read has no say.
    return { lists: [], isEnd: true };
  }
}
