import { parseName, type NamePattern } from "../globs/name-pattern.ts";
import { parsePathPattern, type PathTest } from "../globs/path-pattern.ts";

/** One line of a .gitignore. */
export interface Rule {
  /** `!`: what an earlier rule ignored is seen after all. */
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  /** Exactly one of the two: for the name wherever it is, or for the path below the file's own directory. */
  readonly name?: NamePattern;
  readonly path?: PathTest;
}

/** Undefined for empty lines, comments, and what git takes for a pattern that never fits. */
export function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#")) return undefined;
  const isNegated = line.startsWith("!");
  const text = trimEnd(line.replace(/\r$/, "")).slice(isNegated ? 1 : 0);
  const isForDirectories = text.endsWith("/");
  const pattern = isForDirectories ? text.slice(0, -1) : text;
  if (pattern === "") return undefined;
  const facts = { isNegated, isForDirectories };
  if (!pattern.includes("/")) {
    const name = parseName(pattern);
    return name && { ...facts, name };
  }
  const path = parsePathPattern(pattern.replace(/^\//, ""));
  return path && { ...facts, path };
}

/** Spaces at the end count only behind a backslash. Step by step: on many spaces an expression takes their square in time. */
function trimEnd(line: string): string {
  let end = 0;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === "\\") index += 1;
    else if (line[index] === " ") continue;
    end = index + 1;
  }
  return line.slice(0, end);
}
